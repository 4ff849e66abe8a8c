import { DataSource } from 'typeorm';
import { asDomainError } from '../../src/database/database-error.js';
import { openDatabase } from '../../src/database/data-source.js';
import { UnitOfWork, type Tx } from '../../src/database/unit-of-work.js';
import { DomainError } from '../../src/kernel/errors/domain-error.js';
import { newId } from '../../src/kernel/ids.js';
import { Money } from '../../src/kernel/money.js';
import { platformAccount, userAccount, type Account } from '../../src/modules/ledger/chart-of-accounts.js';
import { LedgerQueries } from '../../src/modules/ledger/ledger.queries.js';
import { Ledger } from '../../src/modules/ledger/ledger.service.js';
import { Meters } from '../../src/telemetry/meters.js';
import { move, type Entry, type Posting } from '../../src/modules/ledger/posting.js';
import { freshDatabase } from './database.js';

export const AT = new Date('2026-03-02T10:00:00.000Z');
export const PROVIDER = platformAccount('asset.deposit-provider', 'USDC', 'ERC20');

/** The ledger alone on a database of its own: no application, no HTTP. */
export interface Books {
  readonly dataSource: DataSource;
  readonly uow: UnitOfWork;
  readonly ledger: Ledger;
  readonly queries: LedgerQueries;
  /** Posts in a unit of work of its own. */
  post(...postings: Posting[]): Promise<void>;
  /** A new user with this much USDC, or with no account at all. */
  user(amount?: string): Promise<string>;
  /** A user's stored balance; null of the platform's accounts, undefined where there is no account. */
  balance(account: Account): Promise<string | null | undefined>;
  /** Everything that a posting could leave behind. */
  state(): Promise<unknown>;
  close(): Promise<void>;
}

export async function openBooks(poolSize = 10): Promise<Books> {
  const database = await freshDatabase();
  const dataSource = await openDatabase({ type: 'postgres', url: database.url, poolSize }, () => undefined, {
    migrate: false,
  });
  const uow = new UnitOfWork(dataSource);
  const ledger = new Ledger(new Meters());
  const post = (...postings: Posting[]) => uow.run((tx: Tx) => ledger.post(tx, ...postings));
  return {
    dataSource,
    uow,
    ledger,
    queries: new LedgerQueries(dataSource),
    post,
    user: async (amount) => {
      const userId = newId();
      if (amount) await post(fact(move(Money.of(amount), PROVIDER, userAccount(userId, 'user.available'))));
      return userId;
    },
    balance: async ({ owner, kind, scope, asset }) => {
      const [row] = (await dataSource.query(
        'select balance from ledger_account where owner_id = $1 and kind = $2 and scope = $3 and asset = $4',
        [owner, kind, scope, asset],
      )) as { balance: string | null }[];
      return row && (row.balance === null ? null : Money.of(row.balance).toString());
    },
    state: () =>
      dataSource.query(
        `select (select count(*) from ledger_transaction) as transactions, (select count(*) from ledger_entry) as entries,
                (select json_agg(account order by id) from ledger_account as account) as accounts`,
      ),
    close: async () => {
      await dataSource.destroy();
      await database.drop();
    },
  };
}

/** A posting of these entries, a deposit unless told otherwise. */
export function fact(entries: readonly Entry[], about: Partial<Posting> = {}): Posting {
  const reference = { type: 'test', id: newId() };
  return { type: 'deposit', category: 'deposit', reference, at: AT, description: 'Test', entries, ...about };
}

/** What the caller of the API would be told of a failure; its own text where it is none of theirs. */
export async function refusal(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'done',
    (error: Error) => (error instanceof DomainError ? error : asDomainError(error))?.code ?? error.message,
  );
}

/** Every way in which the stored ledger breaks its laws; empty when it keeps them. One snapshot. */
export async function brokenLaws(dataSource: DataSource): Promise<unknown[]> {
  return dataSource.query(`
    select 'an asset does not sum to zero' as law, asset as what from ledger_entry group by asset having sum(amount) <> 0
    union all
    select 'a transaction does not sum to zero', transaction_id || ' ' || asset
      from ledger_entry group by transaction_id, asset having sum(amount) <> 0
    union all
    select 'a balance is not the sum of its entries', account.id || ' ' || kind
      from ledger_account as account left join ledger_entry as entry on entry.account_id = account.id
     where balance is not null group by account.id having balance <> coalesce(sum(amount), 0)
    union all
    select 'a balance is negative', id || ' ' || kind from ledger_account where balance < 0
    union all
    select 'an entry does not continue the one before', entry.id::text
      from (select id, account_id, balance_after,
                   sum(amount) over (partition by account_id order by id) as replayed from ledger_entry) as entry
      join ledger_account as account on account.id = entry.account_id
     where balance_after is distinct from case when balance is not null then replayed end or balance_after < 0
    union all
    select 'an entry is of another asset, account or time', entry.id::text
      from ledger_entry as entry
      left join ledger_account as account on account.id = entry.account_id and account.asset = entry.asset
      left join ledger_transaction as posted on posted.id = entry.transaction_id and posted.effective_at = entry.effective_at
     where account.id is null or posted.id is null`);
}
