import { demand } from '../encoding.js';
import type { Accounts, LeafEntry } from './accounts.js';
import { amountText, partsOf } from './decimals.js';
import { problemOf } from './findings.js';
import type { PackFolder } from './pack-folder.js';

// Reads journal.hledger together with the transactions: it must have their postings, and state the right balances each month.

const HEAD = /^(\d{4}-\d\d-\d\d) \* (?:\((\d+)\) )?(.+)$/;
const POSTING =
  /^ {4}([a-z]+):(\S+) {2}(-?\d+\.\d+) (?:"([^"]+)"|([A-Za-z]+))(?: = (-?\d+\.\d+) (?:"([^"]+)"|([A-Za-z]+)))?$/;

/** The first part of an account's name in the journal, by which hledger and Ledger know its type. */
const ACCOUNT_GROUPS: Readonly<Record<string, string>> = {
  'asset.deposit-provider': 'assets',
  'asset.custody': 'assets',
  'user.available': 'liabilities',
  'user.invested': 'liabilities',
  'user.reserved': 'liabilities',
  'user.units': 'liabilities',
  'strategy.units': 'equity',
  'strategy.accrued': 'liabilities',
  suspense: 'liabilities',
  'income.management-fee': 'income',
  'income.performance-fee': 'income',
  'income.strategy-yield': 'income',
  'expense.yield': 'expenses',
  conversion: 'equity',
  rounding: 'equity',
};

interface Posting {
  readonly account: string;
  readonly asset: string;
  readonly amount: bigint;
  /** The asserted balance; undefined without an assertion. */
  readonly balance: bigint | undefined;
}

/** A transaction as its leaf states it. Credit is positive here; in the journal debit is positive. */
export interface ExpectedTransaction {
  readonly day: string;
  readonly leafIndex: number;
  readonly id: string;
  readonly type: string;
  readonly reference: { readonly type: string; readonly id: string };
  readonly entries: readonly LeafEntry[];
}

/** The first line of a transaction. `code` is the leaf index; transactions that state balances have none. */
interface Head {
  readonly day: string;
  readonly code: string | undefined;
  readonly description: string;
}

/** Compares the journal with the transactions and balances of the pack, transaction by transaction. */
export class JournalReader {
  /** The number of verified balance assertions. */
  assertions = 0;
  /** The first problem. The journal is not read any further after it. */
  problem: string | undefined;
  private line = 0;
  private batch: readonly string[] = [];
  /** The index of the next line in the batch. */
  private nextInBatch = 0;
  private readonly batches: AsyncGenerator<string[], void>;
  /** The day of the last transaction. */
  private lastDay = '';
  private isAtStart = true;

  private readonly accounts: Accounts;

  constructor(pack: PackFolder, accounts: Accounts) {
    this.accounts = accounts;
    this.batches = pack.batches('journal.hledger');
  }

  /**
   * Call it before the transaction changes `accounts`, because the journal states the balances after a month before the next
   * month's first transaction. Does not throw for a difference, but records it as the `problem`.
   */
  async compareTransaction(expected: ExpectedTransaction): Promise<void> {
    await this.recordFirstProblem(async () => {
      const head = await this.nextTransactionHead();
      demand(head, `it has no transaction for leaf ${expected.leafIndex}`);
      demand(
        head.code === String(expected.leafIndex) &&
          head.day === expected.day &&
          head.description === expected.type,
        `not the transaction of leaf ${expected.leafIndex}`,
      );
      this.requireOrder(head);
      const lines = await this.readBody();
      const { id, reference } = expected;
      const comment = `    ; transaction ${id} of ${reference.type} ${reference.id}`;
      demand(lines[0] === comment, `the comment is not that of leaf ${expected.leafIndex}`);
      const { entries } = expected;
      const isEqual =
        lines.length === entries.length + 1 &&
        entries.every((entry, index) => isPostingOf(lines[index + 1] as string, entry));
      demand(isEqual, `the postings are not those of leaf ${expected.leafIndex}`);
    });
  }

  /** Call it after the last transaction. Records a difference as `compareTransaction` does. */
  async compareEnd(): Promise<void> {
    await this.recordFirstProblem(async () => {
      const head = await this.nextTransactionHead();
      demand(head === undefined, 'it has more transactions than transactions.jsonl');
      demand(
        this.accounts.changed.size === 0,
        'balances of accounts that have changed are missing at the end',
      );
    });
  }

  /** Does nothing after the first problem. */
  private async recordFirstProblem(comparison: () => Promise<void>): Promise<void> {
    if (this.problem !== undefined) return;
    try {
      await comparison();
    } catch (error) {
      this.problem = `line ${this.line}: ${problemOf(error)}`;
    }
  }

  /** Reads up to the next transaction that has a leaf, and verifies the balances before it. Undefined at the end. */
  private async nextTransactionHead(): Promise<Head | undefined> {
    for (;;) {
      const head = await this.readHead();
      const isOpening = this.isAtStart && head?.description === 'Opening balances';
      if (this.isAtStart && !isOpening)
        demand(this.accounts.countNonZero() === 0, 'the opening balances are missing');
      this.isAtStart = false;
      if (!head || head.code !== undefined) {
        this.requireMonthlyBalances(head?.day);
        return head;
      }
      this.requireOrder(head);
      await this.verifyBalances(isOpening);
    }
  }

  /** Verifies a transaction that states balances. Reads one line at a time, because it can have a line for every account. */
  private async verifyBalances(isOpening: boolean): Promise<void> {
    let count = 0;
    let lastAccountLine = 0;
    for (let text = await this.readBodyLine(); text !== ''; text = await this.readBodyLine()) {
      const posting = postingOf(text);
      const accountLine = this.accounts.lineNumberOf(leafAccountOf(posting.account), posting.asset);
      demand(accountLine > lastAccountLine, 'the accounts are not in the order of accounts.jsonl');
      this.verifyBalance(posting, accountLine, isOpening);
      count += 1;
      lastAccountLine = accountLine;
    }
    if (isOpening) demand(count === this.accounts.countNonZero(), 'opening balances are missing');
  }

  /** A posting of the opening balances has the balance as its amount; a posting of the balances after a month has zero. */
  private verifyBalance(
    { account, asset, amount, balance }: Posting,
    accountLine: number,
    isOpening: boolean,
  ): void {
    const actual = -this.accounts.balanceOf(leafAccountOf(account), asset);
    demand(amount === (isOpening ? actual : 0n), `the posting of ${account} is not ${amountText(actual)}`);
    demand(balance === actual, `the balance of ${account} is ${amountText(actual)} ${asset}`);
    if (!isOpening)
      demand(this.accounts.changed.delete(accountLine), `${account} has not changed in that month`);
    this.assertions += 1;
  }

  /** A transaction of another month may follow only after the balances of all accounts that have changed. */
  private requireMonthlyBalances(day: string | undefined): void {
    if (day === undefined || day.slice(0, 7) === this.lastDay.slice(0, 7)) return;
    demand(
      this.accounts.changed.size === 0,
      `balances of accounts that have changed before ${day} are missing`,
    );
  }

  private requireOrder({ day }: Head): void {
    demand(day >= this.lastDay, 'the transactions are not in the order of days');
    this.lastDay = day;
  }

  private async readHead(): Promise<Head | undefined> {
    const text = await this.readLine();
    if (text === undefined) return undefined;
    const [, day, code, description] = HEAD.exec(text) ?? [];
    demand(day !== undefined && description !== undefined, 'it is not the first line of a transaction');
    return { day, code, description };
  }

  /** The lines up to an empty one. Awaits only at the end of a batch, which is much faster. */
  private async readBody(): Promise<string[]> {
    const lines: string[] = [];
    for (;;) {
      const text = this.nextInBatch < this.batch.length ? this.nextLine() : await this.readBodyLine();
      if (text === '') return lines;
      lines.push(text);
    }
  }

  /** The next line of a transaction; empty at its end. */
  private async readBodyLine(): Promise<string> {
    const text = await this.readLine();
    demand(text !== undefined, 'it ends within a transaction');
    return text;
  }

  private async readLine(): Promise<string | undefined> {
    while (this.nextInBatch === this.batch.length) {
      const next = await this.batches.next();
      if (next.done) return undefined;
      this.batch = next.value;
      this.nextInBatch = 0;
    }
    return this.nextLine();
  }

  private nextLine(): string {
    this.line += 1;
    const text = this.batch[this.nextInBatch] as string;
    this.nextInBatch += 1;
    return text;
  }
}

function isPostingOf(text: string, { account, asset, amount, amountText: credit }: LeafEntry): boolean {
  const debit = credit.startsWith('-') ? credit.slice(1) : `-${credit}`;
  const end = `${account.replaceAll('/', ':')}  ${debit} ${/^[A-Za-z]+$/.test(asset) ? asset : `"${asset}"`}`;
  // Most postings have this form, which is compared much faster than read. `postingOf` refuses white space in accounts.
  if (text === `    ${groupOf(account)}:${end}` && /^\S+$/.test(account)) return true;
  const posting = postingOf(text);
  const isSame = posting.account === account.replaceAll('/', ':') && posting.asset === asset;
  return isSame && posting.amount === -amount && posting.balance === undefined;
}

function postingOf(text: string): Posting {
  const [, group, account, amount, quoted, plain, balance, quotedAgain, plainAgain] =
    POSTING.exec(text) ?? [];
  const asset = quoted ?? plain;
  demand(account !== undefined && asset !== undefined, 'it is not a posting');
  demand(group === groupOf(account), `${account} is not one of the ${group}`);
  demand(
    balance === undefined || asset === (quotedAgain ?? plainAgain),
    'the balance is of another commodity',
  );
  return {
    account,
    asset,
    amount: partsOf(amount),
    balance: balance === undefined ? undefined : partsOf(balance),
  };
}

function leafAccountOf(account: string): string {
  return account.replaceAll(':', '/');
}

/** The group of an account. `account`: its parts with `/` or `:` between them, the kind first. */
export function groupOf(account: string): string {
  const [kind] = account.split(/[/:]/, 1) as [string];
  const group = Object.hasOwn(ACCOUNT_GROUPS, kind) ? ACCOUNT_GROUPS[kind] : undefined;
  demand(group !== undefined, `${kind} is not a kind of account.`);
  return group;
}
