import { journalComment, journalText, type JournalLine } from '../../../common/journal.js';
import { Money } from '../../../common/money.js';
import { isPrintedFormat, toDocumentFile, writeDocument } from '../../../http/documents/document-files.js';
import { csvRow } from '../../../http/response/csv.js';
import type { RawResponse } from '../../../http/response/enveloped-response.js';
import { streamResponse } from '../../../http/response/streaming.js';
import { CLOSING_BALANCES, OPENING_BALANCES, type MovementType } from './domain/statement-texts.js';
import type { MovementResponse, StatementBalanceResponse } from './dto/statement.response.js';
import type { StatementFormat, TextFormat } from './dto/statements.request.js';
import { toStatementDocument, toStatementParts, type StatementParts } from './statements.mapper.js';
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

// The journal: a statement as the user's own books, in which money at the platform is an asset.

const AVAILABLE = 'assets:stablecoin platform:available';
const INVESTED = 'assets:stablecoin platform:invested';
const RESERVED = 'assets:stablecoin platform:reserved';
const ACCRUED = 'assets:stablecoin platform:accrued';
const PAID_IN = 'equity:deposits';
const PAID_OUT = 'equity:withdrawals';
const OPENING = 'equity:opening balances';
const UNREALISED = 'equity:unrealised growth';

/** The account that a movement of the available balance comes from or goes to. */
const OTHER_ACCOUNT: Partial<Record<MovementType, string>> = {
  deposit: PAID_IN,
  investment: INVESTED,
  divestment: INVESTED,
  earning: 'income:growth',
  fee: 'expenses:fees',
  'withdrawal-paid': PAID_OUT,
};

/** The opening balances, the movements with the balances after each, the closing balances, and the growth of each day as comments. */
async function* writeJournal({
  language,
  head,
  movements,
  growth,
}: StatementParts): AsyncGenerator<string, void> {
  const { opening, closing, from, to } = head;
  yield openingText(from, OPENING_BALANCES[language], opening);
  for await (const batch of movements) yield batch.map(movementText).join('');
  yield closingText(to, CLOSING_BALANCES[language], opening, closing);
  for await (const batch of growth)
    yield batch
      .map(
        ({ date, strategyId, growth: amount }) =>
          `${journalComment(`growth ${date} ${strategyId} ${amount} USDC`)}\n`,
      )
      .join('');
}

function openingText(
  day: string,
  description: string,
  { available, invested, reserved, accruedEarnings }: StatementBalanceResponse,
): string {
  return journalText({
    day,
    description,
    lines: [
      usdc(AVAILABLE, available, available),
      usdc(INVESTED, invested, invested),
      usdc(RESERVED, reserved, reserved),
      usdc(OPENING, negatedSum(available, invested, reserved)),
      usdc(ACCRUED, accruedEarnings, accruedEarnings),
      usdc(UNREALISED, negatedSum(accruedEarnings)),
    ],
  });
}

/** Lines of the balances that the movement changes, and of the account for what remains. */
function movementText(movement: MovementResponse): string {
  const { date, type, referenceType, referenceId, amount, reservedAmount, txHash, toAddress } = movement;
  const rest = negatedSum(amount, reservedAmount);
  const isChange = (text: string) => !Money.of(text).isZero();
  return journalText({
    day: date.slice(0, 10),
    description: movement.description,
    comment: [
      `${type} ${referenceType} ${referenceId}`,
      ...(txHash === null ? [] : [`txHash:${txHash}`]),
      ...(toAddress === null ? [] : [`toAddress:${toAddress}`]),
    ].join(', '),
    lines: [
      ...(isChange(amount) ? [usdc(AVAILABLE, amount, movement.balance)] : []),
      ...(isChange(reservedAmount) ? [usdc(RESERVED, reservedAmount, movement.reservedBalance)] : []),
      ...(isChange(rest) ? [usdc(otherAccount(type), rest)] : []),
    ],
  });
}

/** Accrued growth is no movement: its change is booked here, beside the growth that closings have realised meanwhile. */
function closingText(
  day: string,
  description: string,
  opening: StatementBalanceResponse,
  closing: StatementBalanceResponse,
): string {
  const accrued = Money.of(closing.accruedEarnings).minus(Money.of(opening.accruedEarnings)).toWire();
  return journalText({
    day,
    description,
    lines: [
      usdc(AVAILABLE, '0.00', closing.available),
      usdc(INVESTED, '0.00', closing.invested),
      usdc(RESERVED, '0.00', closing.reserved),
      usdc(ACCRUED, accrued, closing.accruedEarnings),
      usdc(UNREALISED, negatedSum(accrued)),
    ],
  });
}

function negatedSum(...amounts: string[]): string {
  return Money.sum(amounts.map((text) => Money.of(text)))
    .negated()
    .toWire();
}

/** The other account of a movement by its type; `equity:<type>` for types without an account of their own. */
function otherAccount(type: string): string {
  return OTHER_ACCOUNT[type as MovementType] ?? `equity:${type}`;
}

/** A line of a transaction in USDC. `balance` is the balance assertion: the balance of the account after the line. */
function usdc(account: string, amount: string, balance?: string): JournalLine {
  return { account, amount, commodity: 'USDC', ...(balance === undefined ? {} : { balance }) };
}
