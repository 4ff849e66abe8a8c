import { addDays, dayOf, type Day } from '../../../common/days.js';
import { journalHead, journalLines, type JournalLine } from '../../../common/journal.js';
import { ACCOUNT_KINDS, type AccountKind } from '../../ledger/domain/chart-of-accounts.js';
import { leafAccount, leafAmount } from '../../proofs/domain/log-leaf.js';
import type {
  AccountBalances,
  JournalTransactionText,
  MonthlyBalance,
  PackAccount,
  PackRange,
} from '../audit-pack.types.js';

// The journal of a pack. Journals count debits as positive and the ledger credits, so each amount changes its sign.

/** The first part of an account's name, by which hledger and Ledger know its type. */
const GROUP_OF_CLASS = {
  asset: 'assets',
  user: 'liabilities',
  liability: 'liabilities',
  units: 'equity',
  equity: 'equity',
  income: 'income',
  expense: 'expenses',
} as const satisfies Record<(typeof ACCOUNT_KINDS)[AccountKind], string>;

/** The group of each kind of account. */
export const JOURNAL_GROUPS: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(ACCOUNT_KINDS).map(([kind, accountClass]) => [kind, GROUP_OF_CLASS[accountClass]]),
);

type Batches<Row> = AsyncIterable<readonly Row[]>;

/**
 * The opening balances, the transactions of each month, and after each month the balances of the accounts that changed in it.
 */
export async function* packJournal(
  range: PackRange,
  {
    accounts,
    transactions,
    balances,
  }: {
    readonly accounts: Batches<AccountBalances>;
    readonly transactions: Batches<JournalTransactionText>;
    readonly balances: Batches<MonthlyBalance>;
  },
): AsyncGenerator<string, void> {
  yield* openingText(range.from, accounts);
  const months = monthlyTexts(range, balances);
  let next = await months.next();
  for await (const batch of transactions) {
    let texts: string[] = [];
    for (const { day, text } of batch) {
      for (; !next.done && next.value.lastDay < day; next = await months.next()) {
        yield texts.join('') + next.value.text;
        texts = [];
      }
      texts.push(text);
    }
    yield texts.join('');
  }
  for (; !next.done; next = await months.next()) yield next.value.text;
}

/** One journal transaction with a line for each account that has an opening balance; empty without such accounts. */
async function* openingText(day: Day, accounts: Batches<AccountBalances>): AsyncGenerator<string, void> {
  let head = journalHead({ day, description: 'Opening balances' });
  for await (const batch of accounts) {
    const open = batch.filter(({ opening }) => opening !== '0');
    if (open.length === 0) continue;
    yield head + journalLines(open.map((account) => assertionOf(account, account.opening, account.opening)));
    head = '';
  }
  if (head === '') yield '\n'; // ends the transaction, if one has begun
}

interface MonthText {
  readonly lastDay: Day;
  readonly text: string;
}

/** The balances at the end of each month. A month may have several texts, since it may have many accounts. */
async function* monthlyTexts(
  { to }: PackRange,
  balances: Batches<MonthlyBalance>,
): AsyncGenerator<MonthText, void> {
  let current: Day | undefined;
  let lastDay: Day = to;
  for await (const batch of balances) {
    let text = '';
    for (const row of batch) {
      if (row.month !== current) {
        if (current !== undefined) yield { lastDay, text: `${text}\n` };
        current = row.month;
        lastDay = lastDayOf(current, to);
        text = journalHead({ day: lastDay, description: `Balances at the end of ${lastDay}` });
      }
      text += journalLines([assertionOf(row, '0', row.balance)]);
    }
    yield { lastDay, text };
  }
  if (current !== undefined) yield { lastDay, text: '\n' };
}

function lastDayOf(month: Day, to: Day): Day {
  const next = new Date(`${month}T00:00:00Z`);
  next.setUTCMonth(next.getUTCMonth() + 1);
  const last = addDays(dayOf(next), -1);
  return last < to ? last : to;
}

function assertionOf(account: PackAccount, amount: string, balance: string): JournalLine {
  return { ...accountOf(account), amount: debit(amount), balance: debit(balance) };
}

function accountOf({ kind, scope, owner, asset }: PackAccount): { account: string; commodity: string } {
  return {
    account: `${JOURNAL_GROUPS[kind]}:${leafAccount(kind, scope, owner).replaceAll('/', ':')}`,
    commodity: asset,
  };
}

/** The amount with the opposite sign: the ledger counts credits as positive, journals debits. */
function debit(amount: string): string {
  const text = leafAmount(amount);
  if (text === '0.00') return text;
  return text.startsWith('-') ? text.slice(1) : `-${text}`;
}
