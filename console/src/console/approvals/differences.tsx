import '../../ui/data-table.css';
import { useTierNames } from '../../api/tiers.ts';
import { inLanguage } from '../../ui/language.ts';
import { usePermits } from '../session.ts';
import { changeRows, type Fields } from './change-rows.ts';
import './differences.css';

const T = inLanguage({
  field: ['Field', 'Feld'],
  before: ['Before', 'Vorher'],
  after: ['After', 'Nachher'],
  recorded: ['Recorded', 'Festgehalten'],
  change: ['The change', 'Die Änderung'],
});

interface DifferencesProps {
  before: Fields;
  after: Fields;
}

/** The fields of a record before and after a change; those that change are marked. */
export function Differences({ before, after }: DifferencesProps) {
  const tierNames = useTierNames(usePermits('users:read') && ('tier' in before || 'tier' in after));
  const rows = changeRows(before, after, { tier: tierNames });
  if (rows.length === 0) return null;
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
          {rows.map(({ path, name, before: old, after: new_ }) => (
            <tr key={path} role="row" className={isNew || old === new_ ? undefined : 'changed'}>
              <th scope="row" role="rowheader" title={path}>
                {name}
              </th>
              {!isNew && <td role="cell">{old === new_ || old === '' ? old : <del>{old}</del>}</td>}
              <td role="cell">{old === new_ || new_ === '' ? new_ : <ins>{new_}</ins>}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
