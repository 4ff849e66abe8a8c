import '../../ui/data-table.css';
import { visibleText } from '../../ui/format.ts';
import { inLanguage } from '../../ui/language.ts';
import './differences.css';

const T = inLanguage({
  field: ['Field', 'Feld'],
  before: ['Before', 'Vorher'],
  after: ['After', 'Nachher'],
  change: ['The change', 'Die Änderung'],
});

interface DifferencesProps {
  before: Record<string, unknown>;
  after: Record<string, unknown>;
}

/** The fields of a record before and after a change; those that change are marked. */
export function Differences({ before, after }: DifferencesProps) {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  if (names.length === 0) return null;
  return (
    <div className="table-frame differences" role="group" aria-label={T.change} tabIndex={0}>
      <table className="table" role="table">
        <caption className="visually-hidden">{T.change}</caption>
        <thead role="rowgroup">
          <tr role="row">
            <th scope="col" role="columnheader">
              {T.field}
            </th>
            <th scope="col" role="columnheader">
              {T.before}
            </th>
            <th scope="col" role="columnheader">
              {T.after}
            </th>
          </tr>
        </thead>
        <tbody role="rowgroup">
          {names.map((name) => {
            const [old, new_] = [textOf(before[name]), textOf(after[name])];
            return (
              <tr key={name} role="row" className={old === new_ ? undefined : 'changed'}>
                <th scope="row" role="rowheader">
                  {name}
                </th>
                <td role="cell">{old === new_ || old === '' ? old : <del>{old}</del>}</td>
                <td role="cell">{old === new_ || new_ === '' ? new_ : <ins>{new_}</ins>}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  return visibleText(
    typeof value === 'object' ? JSON.stringify(value) : String(value as string | number | boolean),
  );
}
