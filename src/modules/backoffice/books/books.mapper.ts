import { dayOf } from '../../../common/days.js';
import { journalHead, type JournalLine, journalLines, journalText } from '../../../common/journal.js';
import { Money } from '../../../common/money.js';
import type { DayRange } from '../../../http/request/date-range.js';
import { csvColumns, toCsv } from '../../../http/response/csv-list.js';
import { csvRow } from '../../../http/response/csv.js';
import {
  type EnvelopedResponse,
  pagedResponse,
  type RawResponse,
} from '../../../http/response/enveloped-response.js';
import { streamResponse } from '../../../http/response/streaming.js';
import { toResponse } from '../../../http/response/to-response.js';
import type { Page, PageRequest } from '../../../lists/list-page.js';
import { USDC } from '../../core/ledger/domain/chart-of-accounts.js';
import type { BookEntry } from './books.repository.js';
import type { AccountEntries, PeriodResult, TrialBalance } from './books.service.js';
import {
  type AccountClass,
  type AccountKey,
  type BookBalance,
  classOf,
  idOf,
  ownerOf,
  type ProfitAndLoss,
  sumByAsset,
} from './domain/books.js';
import type { BookFormat } from './dto/books.request.js';
import {
  type AccountEntriesResponse,
  BookAccountResponse,
  BookEntryResponse,
  ProfitAndLossResponse,
  TrialBalanceAccountResponse,
  TrialBalanceResponse,
} from './dto/books.response.js';

// In the ledger a credit is positive; in answers and journals a debit is.

export function toBookAccountResponse(account: AccountKey): BookAccountResponse {
  return toResponse(BookAccountResponse, account, {
    id: idOf(account),
    scope: account.scope || null,
    class: classOf(account),
    owner: ownerOf(account),
  });
}

export function toTrialBalanceResponse({ date, balances }: TrialBalance): TrialBalanceResponse {
  const debits = sumByAsset(balances.map((balance) => [balance.asset, debitOf(balance)]));
  const credits = sumByAsset(balances.map((balance) => [balance.asset, creditOf(balance)]));
  return toResponse(TrialBalanceResponse, {
    date,
    accounts: balances.map(toTrialBalanceAccountResponse),
    totals: [...debits].map(([asset, debit]) => ({ asset, debit, credit: credits.get(asset) as Money })),
  });
}

function toTrialBalanceAccountResponse(balance: BookBalance): TrialBalanceAccountResponse {
  return toResponse(TrialBalanceAccountResponse, toBookAccountResponse(balance), {
    debit: debitOf(balance),
    credit: creditOf(balance),
  });
}

export function toProfitAndLossResponse({
  range,
  figures,
  feesAccruedNotCharged,
}: PeriodResult): ProfitAndLossResponse {
  return toResponse(ProfitAndLossResponse, figures, {
    period: toPeriod(range),
    feesAccruedNotCharged,
    rounding: toChanges(figures.rounding),
    conversion: toChanges(figures.conversion),
  });
}

export function toAccountEntriesPage(
  request: PageRequest,
  { account, range, entries: { rows, ...page } }: AccountEntries<Page<BookEntry> & { total: number }>,
): EnvelopedResponse<AccountEntriesResponse> {
  const data = {
    account: toBookAccountResponse(account),
    period: toPeriod(range),
    opening: asDebit(account.opening),
    entries: rows.map(toBookEntryResponse),
    closing: asDebit(account.closing),
  };
  return pagedResponse(data, request, page);
}

function toBookEntryResponse(entry: BookEntry): BookEntryResponse {
  const { postingId: id, type, referenceType, referenceId } = entry;
  return toResponse(BookEntryResponse, entry, {
    posting: { id, type, referenceType, referenceId },
    amount: entry.amount.negated(),
    balance: entry.balance.negated(),
  });
}

/** The text of an amount of the ledger where a debit is positive. */
function asDebit(amount: Money): string {
  return amount.negated().toExact();
}

const debitOf = ({ closing }: BookBalance) => (closing.isNegative() ? closing.negated() : Money.ZERO);
const creditOf = ({ closing }: BookBalance) => (closing.isNegative() ? Money.ZERO : closing);
const toPeriod = ({ from, to }: DayRange) => ({ startDate: from, endDate: to });
const toChanges = (changes: ReadonlyMap<string, Money>) =>
  [...changes].map(([asset, amount]) => ({ asset, amount: asDebit(amount) }));

// The books as files. In journals the names of accounts begin with their class, as hledger and Ledger expect it.

type FileFormat = Exclude<BookFormat, 'json'>;

const TYPES: Record<FileFormat, string> = {
  csv: 'text/csv; charset=utf-8; header=present',
  journal: 'text/plain; charset=utf-8',
};

const JOURNAL_GROUPS: Record<AccountClass, string> = {
  asset: 'assets',
  liability: 'liabilities',
  equity: 'equity',
  income: 'income',
  expense: 'expenses',
};
const RESULT = 'equity:result';
/** Stands for the accounts of the other entries of a posting, which the journal of one account does not show. */
const OTHER_ACCOUNTS = 'equity:other accounts';

export function toTrialBalanceFile(books: TrialBalance, format: FileFormat): Promise<RawResponse> {
  const pieces = format === 'csv' ? trialBalanceCsv(books) : trialBalanceJournal(books);
  return toFile(`trial-balance-${books.date}`, format, pieces);
}

export function toProfitAndLossFile(result: PeriodResult, format: FileFormat): Promise<RawResponse> {
  const { range, figures } = result;
  const pieces = format === 'csv' ? profitAndLossCsv(result) : profitAndLossJournal(range, figures);
  return toFile(`profit-and-loss-${range.from}-${range.to}`, format, pieces);
}

export function toEntriesFile(
  pieces: AsyncGenerator<string, void>,
  id: string,
  format: FileFormat,
): Promise<RawResponse> {
  return toFile(`entries-${id.replaceAll(/[^\w.-]/g, '-')}`, format, pieces);
}

/** The entries with the balance of the account after each, which hledger and Ledger verify. */
export async function* writeEntries(
  { account, range, entries }: AccountEntries<AsyncGenerator<BookEntry[], void>>,
  format: FileFormat,
): AsyncGenerator<string, void> {
  if (format === 'csv') return yield* toCsv(csvColumns(BookEntryResponse), entries, toBookEntryResponse);
  const opening = asDebit(account.opening);
  yield journalText({
    day: range.from,
    description: 'Opening balance',
    lines: [line(account, opening, opening), lineOfOthers(account, account.opening.toExact())],
  });
  for await (const batch of entries)
    yield batch
      .map((entry) =>
        journalText({
          day: dayOf(entry.at),
          description: entry.description,
          comment: `${entry.type} ${entry.referenceType} ${entry.referenceId}, posting:${entry.postingId}`,
          lines: [
            line(account, asDebit(entry.amount), asDebit(entry.balance)),
            lineOfOthers(account, entry.amount.toExact()),
          ],
        }),
      )
      .join('');
}

function toFile(
  name: string,
  format: FileFormat,
  pieces: AsyncGenerator<string, void>,
): Promise<RawResponse> {
  return streamResponse(pieces, { type: TYPES[format], fileName: `${name}.${format}` });
}

async function* trialBalanceCsv({ balances }: TrialBalance): AsyncGenerator<string, void> {
  const batches = (async function* () {
    yield [...balances];
  })();
  yield* toCsv(csvColumns(TrialBalanceAccountResponse), batches, toTrialBalanceAccountResponse);
}

async function* trialBalanceJournal({ date, balances }: TrialBalance): AsyncGenerator<string, void> {
  yield journalHead({ day: date, description: 'Trial balance' });
  yield journalLines(balances.map((balance) => line(balance, asDebit(balance.closing))));
  yield '\n';
}

async function* profitAndLossCsv({
  figures,
  feesAccruedNotCharged,
}: PeriodResult): AsyncGenerator<string, void> {
  const { income, expense, result, rounding, conversion } = figures;
  const inUsdc = (section: string, amounts: Readonly<Record<string, Money>>) =>
    Object.entries(amounts).map(([name, amount]) => [section, name, USDC, amount.toExact()]);
  const changes = (name: string, amounts: ReadonlyMap<string, Money>) =>
    [...amounts].map(([asset, amount]) => ['change', name, asset, asDebit(amount)]);
  yield csvRow(['section', 'name', 'asset', 'amount']);
  const rows = [
    ...inUsdc('income', income),
    ...inUsdc('expense', expense),
    ...inUsdc('result', { result }),
    ...inUsdc('accrued', { feesAccruedNotCharged }),
    ...changes('rounding', rounding),
    ...changes('conversion', conversion),
  ];
  yield rows.map(csvRow).join('');
}

/** One transaction on the last day, with the result as its counterpart. */
async function* profitAndLossJournal(
  { from, to }: DayRange,
  figures: ProfitAndLoss,
): AsyncGenerator<string, void> {
  const usdc = (account: string, amount: string): JournalLine => ({ account, amount, commodity: USDC });
  yield journalText({
    day: to,
    description: `Profit and loss from ${from} to ${to}`,
    lines: [
      ...Object.entries(figures.income).map(([name, amount]) =>
        usdc(`income:${inWords(name)}`, asDebit(amount)),
      ),
      ...Object.entries(figures.expense).map(([name, amount]) =>
        usdc(`expenses:${inWords(name)}`, amount.toExact()),
      ),
      usdc(RESULT, figures.result.toExact()),
    ],
  });
}

/** `managementFees` as `management fees`. */
function inWords(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

function line(account: AccountKey, amount: string, balance?: string): JournalLine {
  const name = [account.kind, account.scope].filter((part) => part !== '').join(':');
  return {
    account: `${JOURNAL_GROUPS[classOf(account)]}:${name}`,
    amount,
    commodity: account.asset,
    ...(balance === undefined ? {} : { balance }),
  };
}

function lineOfOthers({ asset }: AccountKey, amount: string): JournalLine {
  return { account: OTHER_ACCOUNTS, amount, commodity: asset };
}
