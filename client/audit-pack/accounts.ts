import { demand } from '../encoding.js';
import { amountText, partsOf } from './decimals.js';
import { requireMembers, textIn } from './json-members.js';
import { atLine, type PackFolder } from './pack-folder.js';

/** An entry of a transaction's leaf. Credit is positive. */
export interface LeafEntry {
  readonly account: string;
  readonly asset: string;
  /** `keyOf(account, asset)`. */
  readonly key: string;
  readonly amount: bigint;
  readonly amountText: string;
}

/** The assets of units are this prefix and the id of the strategy. */
const UNITS = 'UNIT:';

interface Account {
  /** The number of its line in accounts.jsonl. */
  readonly lineNumber: number;
  readonly closing: bigint;
  balance: bigint;
}

/** The balances of accounts: first those before the days of the pack, then those after each transaction. Credit is positive. */
export class Accounts {
  /** The number of accounts whose opening balance is not zero. */
  openings = 0;
  /** The accounts of users whose closing balance is below zero, with this balance. */
  readonly endBelowZero: string[] = [];
  /** The strategies whose units the accounts have; true if a user had units before the range. */
  readonly strategies = new Map<string, boolean>();
  /** The line numbers (in accounts.jsonl) of accounts whose balance has changed since the journal last stated it. */
  readonly changed = new Set<number>();
  private readonly accounts = new Map<string, Account>();
  /**
   * The accounts of users whose opening balance is below zero, with this balance plus the credits of the first five minutes. The
   * clocks of processes differ, so that a debit before midnight can use a credit that is dated after it.
   */
  private readonly coveredOpenings = new Map<string, bigint>();

  /**
   * Throws unless accounts.jsonl is sorted and without duplicates, and its opening and its closing balances in each asset sum
   * to zero.
   */
  static async read(pack: PackFolder): Promise<Accounts> {
    const accounts = new Accounts();
    const openingSums = new Map<string, bigint>();
    const closingSums = new Map<string, bigint>();
    let lastOrder = '';
    for await (const { line, value } of pack.objects('accounts.jsonl')) {
      atLine(line, () => {
        requireMembers(value, ['account', 'asset', 'closing', 'opening']);
        const asset = textIn(value, 'asset');
        const key = keyOf(textIn(value, 'account'), asset);
        demand(!accounts.accounts.has(key), `The account ${key} is listed twice.`);
        const order = orderOf(key);
        demand(lastOrder < order, 'The accounts are not sorted by name and asset.');
        lastOrder = order;
        const opening = partsOf(value.opening);
        const closing = partsOf(value.closing);
        if (key.startsWith('user.') && opening < 0n) accounts.coveredOpenings.set(key, opening);
        if (key.startsWith('user.') && closing < 0n)
          accounts.endBelowZero.push(`${key} ${amountText(closing)}`);
        if (asset.startsWith(UNITS)) accounts.addStrategy(asset.slice(UNITS.length), opening);
        accounts.accounts.set(key, { lineNumber: line, balance: opening, closing });
        openingSums.set(asset, (openingSums.get(asset) ?? 0n) + opening);
        closingSums.set(asset, (closingSums.get(asset) ?? 0n) + closing);
      });
    }
    for (const [asset, sum] of openingSums)
      demand(sum === 0n, `The opening balances in ${asset} do not sum to zero.`);
    for (const [asset, sum] of closingSums)
      demand(sum === 0n, `The closing balances in ${asset} do not sum to zero.`);
    accounts.openings = accounts.countNonZero();
    return accounts;
  }

  get size(): number {
    return this.accounts.size;
  }

  /** Throws unless the credits of the first minutes of the range cover the opening balances below zero. */
  requireCoveredOpenings(): void {
    for (const [key, rest] of this.coveredOpenings)
      demand(
        rest >= 0n,
        `The opening balance of ${key} is negative, and early credits leave ${amountText(rest)}.`,
      );
  }

  /** Call it before `changeBalance` for an entry of the first five minutes of the range. */
  coverOpening(key: string, amount: bigint): void {
    const rest = this.coveredOpenings.get(key);
    if (rest !== undefined && amount > 0n) this.coveredOpenings.set(key, rest + amount);
  }

  changeBalance(key: string, amount: bigint): void {
    const account = this.accounts.get(key);
    demand(account, `accounts.jsonl has no account ${key}.`);
    account.balance += amount;
    this.changed.add(account.lineNumber);
  }

  /** Zero for an unknown account. */
  balanceOf(account: string, asset: string): bigint {
    return this.accounts.get(keyOf(account, asset))?.balance ?? 0n;
  }

  /** The number of the account's line; 0 for an unknown account. */
  lineNumberOf(account: string, asset: string): number {
    return this.accounts.get(keyOf(account, asset))?.lineNumber ?? 0;
  }

  /** Calls `add` with the name, the asset and the present balance of each account. */
  forEach(add: (account: string, asset: string, balance: bigint) => void): void {
    for (const [key, { balance }] of this.accounts) {
      const space = key.lastIndexOf(' ');
      add(key.slice(0, space), key.slice(space + 1), balance);
    }
  }

  /** The number of accounts whose balance is not zero at present. */
  countNonZero(): number {
    return [...this.accounts.values()].filter(({ balance }) => balance !== 0n).length;
  }

  /** Call it after all transactions. Throws unless every balance equals the closing balance of its account. */
  requireClosingBalances(): void {
    for (const [key, { balance, closing }] of this.accounts)
      demand(
        balance === closing,
        `The opening balance of ${key} and its entries give ${amountText(balance)}, not ${amountText(closing)}.`,
      );
  }

  private addStrategy(id: string, opening: bigint): void {
    this.strategies.set(id, opening !== 0n || this.strategies.get(id) === true);
  }
}

/** Names an account in an asset. */
export function keyOf(account: string, asset: string): string {
  return `${account} ${asset}`;
}

/**
 * A text by which accounts sort as in the platform: by the parts of the name, then by the asset. Its separators are
 * below all other characters, so that a name comes before the names that begin with it.
 */
function orderOf(key: string): string {
  return key.replaceAll('/', '\u0001').replace(' ', '\u0000');
}
