import { Money } from '../../../common/money.js';
import type { DayRange } from '../../../http/request/date-range.js';
import { pagedResponse, type EnvelopedResponse } from '../../../http/response/enveloped-response.js';
import type { Page, PageRequest } from '../../../lists/list-page.js';
import type { BookEntry } from './books.repository.js';
import type { AccountEntries, PeriodResult, TrialBalance } from './books.service.js';
import {
  classOf,
  idOf,
  ownerOf,
  sumByAsset,
  type AccountKey,
  type BookBalance,
} from './domain/book-account.js';
import {
  type AccountEntriesResponse,
  BookAccountResponse,
  BookEntryResponse,
  ProfitAndLossResponse,
  TrialBalanceAccountResponse,
  TrialBalanceResponse,
} from './dto/books.response.js';
import { toResponse } from '../../../http/response/to-response.js';

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

export function toTrialBalanceAccountResponse(balance: BookBalance): TrialBalanceAccountResponse {
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

export function toBookEntryResponse(entry: BookEntry): BookEntryResponse {
  const { postingId: id, type, referenceType, referenceId } = entry;
  return toResponse(BookEntryResponse, entry, {
    posting: { id, type, referenceType, referenceId },
    amount: entry.amount.negated(),
    balance: entry.balance.negated(),
  });
}

/** The text of an amount of the ledger where a debit is positive. */
export function asDebit(amount: Money): string {
  return amount.negated().toExact();
}

const debitOf = ({ closing }: BookBalance) => (closing.isNegative() ? closing.negated() : Money.ZERO);
const creditOf = ({ closing }: BookBalance) => (closing.isNegative() ? Money.ZERO : closing);
const toPeriod = ({ from, to }: DayRange) => ({ startDate: from, endDate: to });
const toChanges = (changes: ReadonlyMap<string, Money>) =>
  [...changes].map(([asset, amount]) => ({ asset, amount: asDebit(amount) }));
