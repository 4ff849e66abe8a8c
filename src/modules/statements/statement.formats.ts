import { csvLine } from '../../http/response/csv.js';
import type { DailyGrowthResponse, MovementResponse, StatementHead } from './dto/statement.response.js';
import type { StatementFormat } from './dto/statements.request.js';

// A statement as text, piece by piece. Pure: what it is made from comes in batches.

/** A statement whose lists are still on their way. */
export interface StatementParts {
  readonly head: StatementHead;
  readonly movements: AsyncIterable<MovementResponse[]>;
  readonly growth: AsyncIterable<DailyGrowthResponse[]>;
}

type Writer = (parts: StatementParts, envelope: object) => AsyncGenerator<string, void>;

export const STATEMENT_FORMATS: Record<StatementFormat, { readonly type: string; readonly write: Writer }> = {
  json: { type: 'application/json; charset=utf-8', write: writeJson },
  csv: { type: 'text/csv; charset=utf-8; header=present', write: writeCsv },
};

async function* writeJson(
  { head, movements, growth }: StatementParts,
  envelope: object,
): AsyncGenerator<string, void> {
  yield `${open(envelope)},"data":${open(head)},"movements":[`;
  yield* items(movements);
  yield '],"growth":[';
  yield* items(growth);
  yield ']}}';
}

/** An object that is not closed yet. */
function open(value: object): string {
  return JSON.stringify(value).slice(0, -1);
}

async function* items(batches: AsyncIterable<object[]>): AsyncGenerator<string, void> {
  let between = '';
  for await (const batch of batches) {
    yield between + batch.map((item) => JSON.stringify(item)).join(',');
    between = ',';
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

/** One table: the opening balance, the movements, the closing balance, and then the growth day by day. */
async function* writeCsv({ head, movements, growth }: StatementParts): AsyncGenerator<string, void> {
  const balance = (record: string, date: string, { available }: StatementHead['opening']) =>
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
