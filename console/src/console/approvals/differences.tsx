import '../../ui/data-table.css';
import { formatValue, visibleText } from '../../ui/format.ts';
import { inLanguage } from '../../ui/language.ts';
import { fieldName } from '../field-names.ts';
import { codeName } from '../record-names.ts';
import { CHECK_REASON } from '../withdrawals/texts.ts';
import './differences.css';

const T = inLanguage({
  field: ['Field', 'Feld'],
  before: ['Before', 'Vorher'],
  after: ['After', 'Nachher'],
  recorded: ['Recorded', 'Festgehalten'],
  change: ['The change', 'Die Änderung'],
  yes: ['yes', 'ja'],
  no: ['no', 'nein'],
});

interface DifferencesProps {
  before: Record<string, unknown>;
  after: Record<string, unknown>;
}

/** The fields of a record before and after a change; those that change are marked. */
export function Differences({ before, after }: DifferencesProps) {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  if (names.length === 0) return null;
  const isNew = Object.keys(before).length === 0;
  return (
    <div className="table-frame differences" role="group" aria-label={T.change} tabIndex={0}>
      <table className="table" role="table">
        <caption className="visually-hidden">{T.change}</caption>
        <thead role="rowgroup">
          <tr role="row">
            <th scope="col" role="columnheader">
              {T.field}
            </th>
            {!isNew && (
              <th scope="col" role="columnheader">
                {T.before}
              </th>
            )}
            <th scope="col" role="columnheader">
              {isNew ? T.recorded : T.after}
            </th>
          </tr>
        </thead>
        <tbody role="rowgroup">
          {names.map((name) => {
            const [old, new_] = [valueOf(name, before[name]), valueOf(name, after[name])];
            if (old === '' && new_ === '') return null;
            return (
              <tr key={name} role="row" className={isNew || old === new_ ? undefined : 'changed'}>
                <th scope="row" role="rowheader" title={name}>
                  {fieldName(name)}
                </th>
                {!isNew && <td role="cell">{old === new_ || old === '' ? old : <del>{old}</del>}</td>}
                <td role="cell">{old === new_ || new_ === '' ? new_ : <ins>{new_}</ins>}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

/** The fields whose values are codes with words of their own. */
const CODED: ReadonlySet<string> = new Set(['status', 'type', 'chainCheck']);

function valueOf(name: string, value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'object') return visibleText(JSON.stringify(value));
  if (value === true || value === false) return value ? T.yes : T.no;
  const text = String(value as string | number);
  if (Object.hasOwn(CHECK_REASON, text)) return CHECK_REASON[text as keyof typeof CHECK_REASON];
  return CODED.has(name) ? codeName(text) : visibleText(formatValue(text));
}
