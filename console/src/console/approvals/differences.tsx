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
      <table className="table">
        <caption className="visually-hidden">{T.change}</caption>
        <thead>
          <tr>
            <th scope="col">{T.field}</th>
            <th scope="col">{T.before}</th>
            <th scope="col">{T.after}</th>
          </tr>
        </thead>
        <tbody>
          {names.map((name) => {
            const [old, new_] = [textOf(before[name]), textOf(after[name])];
            return (
              <tr key={name} className={old === new_ ? undefined : 'changed'}>
                <th scope="row">{name}</th>
                <td>{old === new_ || old === '' ? old : <del>{old}</del>}</td>
                <td>{old === new_ || new_ === '' ? new_ : <ins>{new_}</ins>}</td>
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
