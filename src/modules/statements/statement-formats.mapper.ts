import { csvLine } from '../../http/response/csv.js';
import type { StatementFormat } from './dto/statements.request.js';
import { writeJournal } from './statement-journal.mapper.js';
import type { StatementParts } from './statements.mapper.js';

// Writes a statement as JSON, CSV or journal in pieces, so that a long one is streamed and never held in memory.

type Writer = (parts: StatementParts, envelope: object) => AsyncGenerator<string, void>;

export const STATEMENT_FORMATS: Record<StatementFormat, { readonly type: string; readonly write: Writer }> = {
  json: { type: 'application/json; charset=utf-8', write: writeJson },
  csv: { type: 'text/csv; charset=utf-8; header=present', write: writeCsv },
  journal: { type: 'text/plain; charset=utf-8', write: writeJournal },
};

async function* writeJson(
  { head, movements, growth }: StatementParts,
  envelope: object,
): AsyncGenerator<string, void> {
  yield `${openObject(envelope)},"data":${openObject(head)},"movements":[`;
  yield* elements(movements);
  yield '],"growth":[';
  yield* elements(growth);
  yield ']}}';
}

/** The JSON of an object without its closing brace. */
function openObject(value: object): string {
  return JSON.stringify(value).slice(0, -1);
}

/** The elements of a JSON array, separated by commas. */
async function* elements(batches: AsyncIterable<object[]>): AsyncGenerator<string, void> {
  let separator = '';
  for await (const batch of batches) {
    yield separator + batch.map((item) => JSON.stringify(item)).join(',');
    separator = ',';
  }
}

const COLUMNS = [
  'record',
  'date',
  'type',
  'referenceType',
  'referenceId',
  'strategyId',
  'description',
  'amount',
  'balance',
] as const;
type Line = Partial<Record<(typeof COLUMNS)[number], string>> & { record: string };

/** One table: the opening balance, the movements, the closing balance, and the growth of each day. */
async function* writeCsv({ head, movements, growth }: StatementParts): AsyncGenerator<string, void> {
  const balance = (record: string, date: string, { available }: StatementParts['head']['opening']) =>
    line({ record, date, description: `Available, ${record} balance`, balance: available });
  yield line(Object.fromEntries(COLUMNS.map((name) => [name, name])) as Line);
  yield balance('opening', head.from, head.opening);
  for await (const batch of movements)
    yield batch.map((movement) => line({ record: 'movement', ...movement })).join('');
  yield balance('closing', head.to, head.closing);
  for await (const batch of growth)
    yield batch
      .map(({ date, strategyId, growth: amount }) => line({ record: 'growth', date, strategyId, amount }))
      .join('');
}

function line(values: Line): string {
  return csvLine(COLUMNS.map((name) => values[name] ?? ''));
}
