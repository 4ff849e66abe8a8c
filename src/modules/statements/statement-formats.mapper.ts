import { csvRow } from '../../http/response/csv.js';
import type { RawResponse } from '../../http/response/enveloped-response.js';
import { streamResponse } from '../../http/response/streaming.js';
import type { StatementFormat } from './dto/statements.request.js';
import { writeJournal } from './statement-journal.mapper.js';
import { toStatementParts, type StatementParts } from './statements.mapper.js';
import type { Statement, StreamedStatement } from './statements.service.js';

// Writes a statement as JSON, CSV or journal in pieces, because a long one is streamed and never held in memory.

type Writer = (parts: StatementParts, envelope: object) => AsyncGenerator<string, void>;

export const STATEMENT_FORMATS: Record<StatementFormat, { readonly type: string; readonly write: Writer }> = {
  json: { type: 'application/json; charset=utf-8', write: writeJson },
  csv: { type: 'text/csv; charset=utf-8; header=present', write: writeCsv },
  journal: { type: 'text/plain; charset=utf-8', write: writeJournal },
};

/** The text of a statement. JSON is in the envelope, with the ids of the trace. */
export function writeStatement(
  statement: Statement,
  format: StatementFormat,
  trace: object | undefined,
): AsyncGenerator<string, void> {
  const envelope = { success: true, timestamp: statement.writtenAt.toISOString(), ...trace };
  return STATEMENT_FORMATS[format].write(toStatementParts(statement), envelope);
}

/** The response that sends the pieces of a statement as a file. */
export function toStatementFile(
  { range, pieces }: StreamedStatement,
  format: StatementFormat,
): Promise<RawResponse> {
  const fileName = `statement-${range.from}-${range.to}.${format}`;
  return streamResponse(pieces, { type: STATEMENT_FORMATS[format].type, fileName });
}

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
    if (batch.length === 0) continue;
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
type CsvRow = Partial<Record<(typeof COLUMNS)[number], string>> & { record: string };

/**
 * One table: the available balance before the first day, the movements, the available balance after the last day, and the
 * growth per day and strategy. Unlike JSON, it omits the currency, the total, invested and reserved balances, and the
 * accrued earnings.
 */
async function* writeCsv({ head, movements, growth }: StatementParts): AsyncGenerator<string, void> {
  yield csvRow(COLUMNS);
  yield csvRowOf({
    record: 'opening',
    date: head.from,
    description: 'Opening available balance',
    balance: head.opening.available,
  });
  for await (const batch of movements)
    yield batch.map((movement) => csvRowOf({ record: 'movement', ...movement })).join('');
  yield csvRowOf({
    record: 'closing',
    date: head.to,
    description: 'Closing available balance',
    balance: head.closing.available,
  });
  for await (const batch of growth)
    yield batch
      .map(({ date, strategyId, growth: amount }) => csvRowOf({ record: 'growth', date, strategyId, amount }))
      .join('');
}

function csvRowOf(values: CsvRow): string {
  return csvRow(COLUMNS.map((name) => values[name] ?? ''));
}
