import { formatValue, visibleText } from '../../ui/format.ts';
import { inLanguage } from '../../ui/language.ts';
import { fieldName } from '../field-names.ts';
import { codeName, kindName } from '../record-names.ts';
import { RESOLUTION } from '../reconciliation/texts.ts';
import { LOCKED_BY, UNLOCK } from '../users/texts.ts';
import { CHECK_REASON } from '../withdrawals/texts.ts';

const T = inLanguage({
  yes: ['yes', 'ja'],
  no: ['no', 'nein'],
  address: ['address', 'Adresse'],
});
const PAYMENT = inLanguage({
  unreachable: ['the chain did not answer', 'die Chain hat nicht geantwortet'],
});
const SCREENING = inLanguage({
  clear: ['in order', 'in Ordnung'],
  review: ['needs a decision', 'braucht eine Entscheidung'],
  blocked: ['blocked', 'gesperrt'],
});
const WAITING_FOR = inLanguage({
  rate: ['the rate', 'des Satzes'],
  realisedAmount: ['the received amount', 'des erhaltenen Betrags'],
});

export type Fields = Readonly<Record<string, unknown>>;

/** A field of a record before and after a change, as text; an object in a field has a row for each of its own fields. */
export interface ChangeRow {
  /** The name in the API, such as `lock.since`. */
  readonly path: string;
  readonly name: string;
  readonly before: string;
  readonly after: string;
}

/** The texts of coded values, by the path of the field. */
const WORDS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  chainCheckReason: CHECK_REASON,
  'lock.by': LOCKED_BY,
  'lock.unlock': UNLOCK,
  payment: PAYMENT,
  resolution: RESOLUTION,
  screening: SCREENING,
  waitingFor: WAITING_FOR,
};
/** Further fields with coded values, whose texts `codeName` has. */
const CODED: ReadonlySet<string> = new Set(['chainCheck', 'hold.reason', 'pausedBy', 'status', 'type']);

/**
 * The rows of a change. Fields without a value before and after it are left out. `words` adds texts of coded values to WORDS; `parent`
 * is the path of the object whose fields are compared.
 */
export function changeRows(
  before: Fields,
  after: Fields,
  words: typeof WORDS = {},
  parent = '',
): ChangeRow[] {
  const fields = new Set([...Object.keys(before), ...Object.keys(after)]);
  if (after.userEmail) fields.delete('userId'); // the e-mail address names the user better
  return [...fields].flatMap((field): ChangeRow[] => {
    const path = parent ? `${parent}.${field}` : field;
    const [old, new_] = [before[field], after[field]];
    if (isObject(old) || isObject(new_)) {
      const rows = changeRows(isObject(old) ? old : {}, isObject(new_) ? new_ : {}, words, path);
      return rows.map((row) => ({ ...row, name: `${fieldName(field)}: ${row.name}` }));
    }
    const textOf = (value: unknown) => valueText(path, value, { ...WORDS, ...words });
    const row = { path, name: fieldName(field), before: textOf(old), after: textOf(new_) };
    return row.before === '' && row.after === '' ? [] : [row];
  });
}

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function valueText(path: string, value: unknown, words: typeof WORDS): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return value.map((item) => valueText(path, item, words)).join('; ');
  if (isObject(value))
    return Object.entries(value)
      .flatMap(([field, part]) => {
        const text = valueText(`${path}.${field}`, part, words);
        return text === '' ? [] : `${fieldName(field)}: ${text}`;
      })
      .join(', ');
  if (value === true || value === false) return value ? T.yes : T.no;
  const text = String(value as string | number);
  if (path === 'reviews.subject') return subjectText(text);
  const word = words[path];
  if (word && Object.hasOwn(word, text)) return word[text] as string;
  return CODED.has(path) ? codeName(text) : visibleText(formatValue(text));
}

/** What was screened: the user, whom the change names already, or an address. */
const subjectText = (subject: string): string =>
  subject.startsWith('user:') ? kindName('user') : subject.replace(/^address:/, `${T.address} `);
