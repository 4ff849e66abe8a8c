import { csvRow } from '../../../http/response/csv.js';
import { isPrintedFormat, toDocumentFile, writeDocument } from '../../../http/documents/document-files.js';
import type { RawResponse } from '../../../http/response/enveloped-response.js';
import { streamResponse } from '../../../http/response/streaming.js';
import { CLOSING_BALANCES, OPENING_BALANCES } from './domain/movement-texts.js';
import type { StatementBalanceResponse } from './dto/statement.response.js';
import type { StatementFormat, TextFormat } from './dto/statements.request.js';
import { toStatementDocument } from './statement-document.mapper.js';
import { writeJournal } from './statement-journal.mapper.js';
import { toStatementParts, type StatementParts } from './statements.mapper.js';
import type { Statement, StreamedStatement } from './statements.service.js';

// Writes a statement as JSON, CSV, journal, page or PDF in pieces, because a long one is streamed and never held in memory.

type Writer = (parts: StatementParts, envelope: object) => AsyncGenerator<string, void>;

export const STATEMENT_FORMATS: Record<TextFormat, { readonly type: string; readonly write: Writer }> = {
  json: { type: 'application/json; charset=utf-8', write: writeJson },
  csv: { type: 'text/csv; charset=utf-8; header=present', write: writeCsv },
  journal: { type: 'text/plain; charset=utf-8', write: writeJournal },
};

/** JSON is in the envelope, with the ids of the trace. */
export function writeStatement(
  statement: Statement,
  format: StatementFormat,
  trace: object | undefined,
): AsyncGenerator<string | Buffer, void> {
  if (isPrintedFormat(format)) return writeDocument(toStatementDocument(statement), format);
  const envelope = { success: true, timestamp: statement.writtenAt.toISOString(), ...trace };
  return STATEMENT_FORMATS[format].write(toStatementParts(statement), envelope);
}

/** The response that sends the pieces of a statement as a file. */
export function toStatementFile(
  { range, pieces }: StreamedStatement,
  format: StatementFormat,
): Promise<RawResponse> {
  const name = `statement-${range.from}-${range.to}`;
  return isPrintedFormat(format)
    ? toDocumentFile(pieces, format, name)
    : streamResponse(pieces, { type: STATEMENT_FORMATS[format].type, fileName: `${name}.${format}` });
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
  'reservedAmount',
  'reservedBalance',
  'invested',
  'accruedEarnings',
  'txHash',
  'toAddress',
] as const;
type CsvRow = Partial<Record<(typeof COLUMNS)[number], string | null>> & { record: string };

/**
 * One table: the balances before the first day, the movements, the balances after the last day, and the growth per day and
 * strategy. `balance` is the available balance. Unlike JSON, it omits the currency and the total.
 */
async function* writeCsv({
  language,
  head,
  movements,
  growth,
}: StatementParts): AsyncGenerator<string, void> {
  yield csvRow(COLUMNS);
  yield balancesRow('opening', head.from, OPENING_BALANCES[language], head.opening);
  for await (const batch of movements)
    yield batch.map((movement) => csvRowOf({ record: 'movement', ...movement })).join('');
  yield balancesRow('closing', head.to, CLOSING_BALANCES[language], head.closing);
  for await (const batch of growth)
    yield batch
      .map(({ date, strategyId, growth: amount }) => csvRowOf({ record: 'growth', date, strategyId, amount }))
      .join('');
}

function balancesRow(record: string, date: string, description: string, balances: StatementBalanceResponse) {
  const { available: balance, reserved: reservedBalance, invested, accruedEarnings } = balances;
  return csvRowOf({ record, date, description, balance, reservedBalance, invested, accruedEarnings });
}

function csvRowOf(values: CsvRow): string {
  return csvRow(COLUMNS.map((name) => values[name] ?? ''));
}
