import { demand } from '../encoding.js';
import { amountText, partsOf } from './decimals.js';
import { requireMembers, textIn } from './json-members.js';
import { atLine, type PackFolder } from './pack-folder.js';

/** Credit is positive. */
export interface LeafEntry {
  readonly account: string;
  readonly asset: string;
  /** `keyOf` the account and the asset. */
  readonly key: string;
  readonly amount: bigint;
  readonly amountText: string;
}

interface Account {
  /** The number of its line in accounts.jsonl. */
  readonly place: number;
  readonly closing: bigint;
  balance: bigint;
}

/** The balances of accounts: first those before the range, then after each transaction. Credit is positive. */
export class Accounts {
  /** Accounts with another opening balance than zero. */
  openings = 0;
  /** The places of accounts whose balance has changed since the journal last stated it. */
  readonly changed = new Set<number>();
  private readonly accounts = new Map<string, Account>();

  static async read(pack: PackFolder): Promise<Accounts> {
    const accounts = new Accounts();
    const [opening, closing] = [new Map<string, bigint>(), new Map<string, bigint>()];
    let last = '';
    for await (const { line, value } of pack.objects('accounts.jsonl')) {
      atLine(line, () => {
        requireMembers(value, ['account', 'asset', 'closing', 'opening']);
        const asset = textIn(value, 'asset');
        const key = keyOf(textIn(value, 'account'), asset);
        demand(!accounts.accounts.has(key), `The account ${key} is listed twice.`);
        const order = orderOf(key);
        demand(last < order, 'The accounts are not in their order.');
        last = order;
        const [before, after] = [partsOf(value.opening), partsOf(value.closing)];
        demand(
          !key.startsWith('user.') || (before >= 0n && after >= 0n),
          `The balance of ${key} is negative.`,
        );
        accounts.accounts.set(key, { place: line, balance: before, closing: after });
        opening.set(asset, (opening.get(asset) ?? 0n) + before);
        closing.set(asset, (closing.get(asset) ?? 0n) + after);
      });
    }
    for (const [asset, sum] of opening)
      demand(sum === 0n, `The opening balances in ${asset} do not sum to zero.`);
    for (const [asset, sum] of closing)
      demand(sum === 0n, `The closing balances in ${asset} do not sum to zero.`);
    accounts.openings = accounts.countOpen();
    return accounts;
  }

  get size(): number {
    return this.accounts.size;
  }

  changeBalance(key: string, amount: bigint): void {
    const account = this.accounts.get(key);
    demand(account, `accounts.jsonl has no account ${key}.`);
    account.balance += amount;
    this.changed.add(account.place);
  }

  /** Zero for an unknown account. */
  balanceOf(account: string, asset: string): bigint {
    return this.accounts.get(keyOf(account, asset))?.balance ?? 0n;
  }

  /** The number of the account's line; 0 for an unknown account. */
  placeOf(account: string, asset: string): number {
    return this.accounts.get(keyOf(account, asset))?.place ?? 0;
  }

  /** Accounts with another balance than zero. */
  countOpen(): number {
    return [...this.accounts.values()].filter(({ balance }) => balance !== 0n).length;
  }

  /** Throws unless every balance is the closing one, after all transactions. */
  requireClosingBalances(): void {
    for (const [key, { balance, closing }] of this.accounts)
      demand(
        balance === closing,
        `The opening balance of ${key} and its entries give ${amountText(balance)}, not ${amountText(closing)}.`,
      );
  }
}

/** Names an account in an asset. */
export function keyOf(account: string, asset: string): string {
  return `${account} ${asset}`;
}

/** As the platform sorts: by the parts of the name, then by the asset. */
function orderOf(key: string): string {
  return key.replaceAll('/', '\u0001').replace(' ', '\u0000');
}
