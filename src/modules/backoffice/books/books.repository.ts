import { Injectable } from '@nestjs/common';
import type { Snapshot } from '../../../database/snapshots.js';
import { Money } from '../../../common/money.js';
import { EXPORT_BATCH_ROWS } from '../../../lists/streaming-reads.js';
import { ListPage, orderSql, type ListOrder, type Page, type PageRequest } from '../../../lists/list-page.js';
import { ACCOUNT_KINDS, PLATFORM, type PostingType } from '../../core/ledger/domain/chart-of-accounts.js';
import type { AccountKey, BookBalance } from './domain/books.js';

/** Times as text for SQL: from (inclusive) to (exclusive), `infinity` for the present. */
export interface BookRange {
  readonly from: string;
  readonly to: string;
}

/** An entry of an account of the books. */
export interface BookEntry {
  /** Domain time. */
  readonly at: Date;
  readonly postingId: string;
  readonly type: PostingType;
  readonly referenceType: string;
  readonly referenceId: string;
  readonly description: string;
  /** A credit is positive. */
  readonly amount: Money;
  /** The balance of the account after the entry; a credit is positive. */
  readonly balance: Money;
}

type EntryRow = Omit<BookEntry, 'amount' | 'balance'> & { readonly amount: string; readonly balance: string };

const USER_KINDS = Object.entries(ACCOUNT_KINDS).flatMap(([kind, accountClass]) =>
  accountClass === 'user' ? [kind] : [],
);

// Postings balance in each asset, so that the platform has an account in every asset that users have.
const ACCOUNTS = `
  with platform as (select kind, scope, asset from ledger_account where owner_id = $1)
  select kind, scope, asset from platform
   union all
  select users.kind, '', asset.asset from unnest($2::text[]) as users(kind) cross join (select distinct asset from platform) as asset
   where exists (select from ledger_account as account where account.kind = users.kind and account.asset = asset.asset)`;

// The entries are added up by account before the accounts are read.
const BALANCES = `
  select kind, scope, asset, trim_scale(sum(total.opening))::text as opening, trim_scale(sum(total.closing))::text as closing
    from (select account_id, coalesce(sum(amount) filter (where effective_at < $1::timestamptz), 0) as opening,
                 sum(amount) as closing
            from ledger_entry where effective_at < $2::timestamptz
           group by account_id) as total
    join ledger_account as account on account.id = account_id
   group by kind, scope, asset`;

/** Columns of `entry`. `before`: SQL of the balance before the first of the entries that are read. */
const columns = (before: string) => `
  entry.effective_at as at, entry.transaction_id as "postingId", posted.type, posted.reference_type as "referenceType",
  posted.reference_id as "referenceId", posted.description, trim_scale(entry.amount)::text as amount,
  trim_scale(${before} + sum(entry.amount) over (order by entry.effective_at, entry.id rows unbounded preceding))::text as balance`;
const ENTRIES = `select entry.* from ledger_entry as entry join ledger_account as account on account.id = entry.account_id
  where account.kind = $1 and account.scope = $2 and account.asset = $3`;
const IN_RANGE = 'entry.effective_at >= $4::timestamptz and entry.effective_at < $5::timestamptz';
const POSTED = 'join ledger_transaction as posted on posted.id = entry.transaction_id';

const ORDER: ListOrder = {
  keys: [
    ['entry.effective_at', 'timestamptz'],
    ['entry.id', 'numeric'],
  ],
  direction: 'asc',
};

/** Reads the tables of the ledger. */
@Injectable()
export class BooksRepository {
  findAccounts(snapshot: Snapshot): Promise<AccountKey[]> {
    return snapshot.query<AccountKey>(ACCOUNTS, [PLATFORM, USER_KINDS]);
  }

  /** The balances of one account, which are zero if it has no entries. */
  async getBalance(snapshot: Snapshot, account: AccountKey, { from, to }: BookRange): Promise<BookBalance> {
    const { kind, scope, asset } = account;
    const [row] = await snapshot.query<{ opening: string; closing: string }>(
      `select coalesce(trim_scale(sum(amount) filter (where effective_at < $4::timestamptz)), 0)::text as opening,
              coalesce(trim_scale(sum(amount)), 0)::text as closing
         from (${ENTRIES} and entry.effective_at < $5::timestamptz) as entry`,
      [kind, scope, asset, from, to],
    );
    return { ...account, opening: Money.of(row?.opening ?? '0'), closing: Money.of(row?.closing ?? '0') };
  }

  /** The balances of all accounts that have entries before the end of the range. */
  async findBalances(snapshot: Snapshot, { from, to }: BookRange): Promise<BookBalance[]> {
    const rows = await snapshot.query<AccountKey & { opening: string; closing: string }>(BALANCES, [
      from,
      to,
    ]);
    return rows.map((row) => ({ ...row, opening: Money.of(row.opening), closing: Money.of(row.closing) }));
  }

  /** A page of the entries of the range, the oldest first. `opening`: the balance before the range. */
  async findEntries(
    snapshot: Snapshot,
    { kind, scope, asset, opening }: BookBalance,
    { from, to }: BookRange,
    request: PageRequest,
  ): Promise<Page<BookEntry> & { total: number }> {
    const range = [kind, scope, asset, from, to];
    const parameters: unknown[] = [...range, opening.toString()];
    const page = new ListPage(request, ORDER, parameters);
    // The balance before the range, and the entries of the range before the first one of the page.
    const before = `$6::numeric + (select coalesce(sum(amount), 0) from (${ENTRIES} and ${IN_RANGE}) as earlier
      where (effective_at, id) < (select effective_at, id from page ${orderSql(ORDER).replaceAll('entry.', '')} limit 1))`;
    const rows = await snapshot.query<EntryRow>(
      `with page as (${ENTRIES} and ${IN_RANGE} and ${page.condition} ${page.orderBy} ${page.limit})
       select ${columns(before)}, ${page.key} from page as entry ${POSTED} ${page.orderBy}`,
      parameters,
    );
    const [count] = await snapshot.query<{ total: number }>(
      `select count(*)::int as total from (${ENTRIES} and ${IN_RANGE}) as entry`,
      range,
    );
    return { ...page.cut(rows, toEntry), total: count?.total ?? 0 };
  }

  /** All entries of the range in batches, the oldest first. `opening`: the balance before the range. */
  async *streamEntries(
    snapshot: Snapshot,
    { kind, scope, asset }: AccountKey,
    { from, to }: BookRange,
    opening: Money,
  ): AsyncGenerator<BookEntry[], void> {
    const statement = `select ${columns('$6::numeric')} from (${ENTRIES} and ${IN_RANGE}) as entry ${POSTED} ${orderSql(ORDER)}`;
    const parameters = [kind, scope, asset, from, to, opening.toString()];
    for await (const rows of snapshot.batches<EntryRow>(statement, parameters, EXPORT_BATCH_ROWS))
      yield rows.map(toEntry);
  }
}

function toEntry(row: EntryRow): BookEntry {
  return { ...row, amount: Money.of(row.amount), balance: Money.of(row.balance) };
}
