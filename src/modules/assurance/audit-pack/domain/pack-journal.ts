import { addDays, dayOf, startOfDay, type Day } from '../../../../common/days.js';
import { journalHead, journalLines, type JournalLine } from '../../../../common/journal.js';
import type { DayRange } from '../../../../http/request/date-range.js';
import { ACCOUNT_KINDS, type AccountKind } from '../../../core/ledger/domain/chart-of-accounts.js';
import { leafAccount, leafAmount } from '../../proofs/domain/log-leaf.js';
import type {
  AccountBalances,
  JournalTransactionText,
  MonthlyBalance,
  PackAccount,
} from '../audit-pack.types.js';

// The journal of a pack. Debits are positive in a journal, credits in the platform's ledger, so every amount changes its sign.

/**
 * The first part of the name of a journal account, by the class of the ledger account. hledger and Ledger tell by it, for
 * example, assets from liabilities.
 */
const GROUP_OF_CLASS = {
  asset: 'assets',
  user: 'liabilities',
  liability: 'liabilities',
  units: 'equity', // units issued, the counterpart of `user.units`: neither property nor income of the platform
  equity: 'equity',
  income: 'income',
  expense: 'expenses',
} as const satisfies Record<(typeof ACCOUNT_KINDS)[AccountKind], string>;

/** The first part of the name of a journal account, by the kind of the ledger account. */
export const JOURNAL_GROUPS = Object.fromEntries(
  Object.entries(ACCOUNT_KINDS).map(([kind, accountClass]) => [kind, GROUP_OF_CLASS[accountClass]]),
) as Readonly<Record<AccountKind, string>>;

/** How the queries write a balance of zero. */
const ZERO_BALANCE = '0';

type Batches<Row> = AsyncIterable<readonly Row[]>;

interface JournalRows {
  readonly accounts: Batches<AccountBalances>;
  /** In the order of their days. */
  readonly transactions: Batches<JournalTransactionText>;
  /** In the order of their months. */
  readonly monthlyBalances: Batches<MonthlyBalance>;
}

/** Yields the opening balances, then the transactions of each month and the balances of the accounts that changed in it. */
export async function* packJournal(
  range: DayRange,
  { accounts, transactions, monthlyBalances }: JournalRows,
): AsyncGenerator<string, void> {
  yield* openingText(range.from, accounts);
  // Merges two sorted streams: the balances of a month precede the first transaction of a later day.
  const monthEnds = monthEndTexts(range, monthlyBalances);
  let monthEnd = await monthEnds.next();
  for await (const batch of transactions) {
    let texts: string[] = [];
    for (const { day, text } of batch) {
      while (!monthEnd.done && monthEnd.value.lastDay < day) {
        yield texts.join('') + monthEnd.value.text;
        texts = [];
        monthEnd = await monthEnds.next();
      }
      texts.push(text);
    }
    yield texts.join('');
  }
  while (!monthEnd.done) {
    yield monthEnd.value.text;
    monthEnd = await monthEnds.next();
  }
}

/** One journal transaction with a line for each opening balance other than zero. Yields nothing if all are zero. */
async function* openingText(day: Day, accounts: Batches<AccountBalances>): AsyncGenerator<string, void> {
  let hasBegun = false;
  for await (const batch of accounts) {
    const lines = batch
      .filter(({ opening }) => opening !== ZERO_BALANCE)
      .map((account) => lineWithAssertion(account, { amount: account.opening, balance: account.opening }));
    if (lines.length === 0) continue;
    yield (hasBegun ? '' : journalHead({ day, description: 'Opening balances' })) + journalLines(lines);
    hasBegun = true;
  }
  if (hasBegun) yield '\n'; // the empty line that ends a transaction
}

interface MonthEndText {
  readonly lastDay: Day;
  readonly text: string;
}

/** One journal transaction for each month. A month whose rows are in several batches yields one text for each batch. */
async function* monthEndTexts(
  range: DayRange,
  balances: Batches<MonthlyBalance>,
): AsyncGenerator<MonthEndText, void> {
  let month: { readonly firstDay: Day; readonly lastDay: Day } | undefined;
  for await (const batch of balances) {
    let text = '';
    for (const row of batch) {
      if (row.month !== month?.firstDay) {
        if (month) yield { lastDay: month.lastDay, text: `${text}\n` };
        const lastDay = lastDayInRange(row.month, range);
        month = { firstDay: row.month, lastDay };
        text = journalHead({ day: lastDay, description: `Balances at the end of ${lastDay}` });
      }
      text += journalLines([lineWithAssertion(row, { amount: ZERO_BALANCE, balance: row.balance })]);
    }
    if (month) yield { lastDay: month.lastDay, text };
  }
  if (month) yield { lastDay: month.lastDay, text: '\n' };
}

/** The last day of a month or, in the last month of the range, the last day of the range. */
function lastDayInRange(firstDay: Day, { to }: DayRange): Day {
  const nextMonth = startOfDay(firstDay);
  nextMonth.setUTCMonth(nextMonth.getUTCMonth() + 1);
  const lastDay = addDays(dayOf(nextMonth), -1);
  return lastDay < to ? lastDay : to;
}

/** A line with a balance assertion. Both amounts have the sign of the ledger. */
function lineWithAssertion(
  account: PackAccount,
  { amount, balance }: { readonly amount: string; readonly balance: string },
): JournalLine {
  return {
    ...journalAccountOf(account),
    amount: withOppositeSign(leafAmount(amount)),
    balance: withOppositeSign(leafAmount(balance)),
  };
}

function journalAccountOf({
  kind,
  scope,
  owner,
  asset,
}: PackAccount): Pick<JournalLine, 'account' | 'commodity'> {
  return {
    account: `${JOURNAL_GROUPS[kind]}:${leafAccount(kind, scope, owner).replaceAll('/', ':')}`,
    commodity: asset,
  };
}

function withOppositeSign(amount: string): string {
  if (amount === '0.00') return amount; // not -0.00
  return amount.startsWith('-') ? amount.slice(1) : `-${amount}`;
}
