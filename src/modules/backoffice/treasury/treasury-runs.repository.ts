import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { findRow, insertRow } from '../../../database/entity-rows.js';
import { lockName } from '../../../database/statements.js';
import { findOldestXid } from '../../../events/commit-horizons.js';
import type { Tx } from '../../../database/unit-of-work.js';
import { newId } from '../../../common/ids.js';
import { Money } from '../../../common/money.js';
import type { ProviderPosition, StrategyFlow } from './domain/transfer-plan.js';
import { TreasuryRun } from './entities/treasury.entity.js';

/** The result of all treasury runs so far: running totals of the ledger entries that they have read. */
interface TreasuryPosition extends Pick<ProviderPosition, 'received' | 'owed'> {
  /** Number of the last run; 0 before the first one. */
  readonly number: number;
  /** Id of the last ledger entry that the runs have read. */
  readonly upTo: bigint;
}

/** Ids of ledger entries: `after` is excluded, `upTo` is included. */
type EntryRange = { readonly after: bigint; readonly upTo: bigint };

const NO_RUN: TreasuryPosition = { number: 0, upTo: 0n, received: new Map(), owed: Money.ZERO };

/** Treasury runs, and the ledger sums that they are computed from. */
@Injectable()
export class TreasuryRunsRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Locks the treasury until `tx` ends: only one transaction at a time plans transfers or creates requests for them. */
  async lockTreasury(tx: Tx): Promise<void> {
    await lockName(tx, 'treasury');
  }

  /** The position after the last run; zero before the first one. */
  async getLastPosition(tx: Tx): Promise<TreasuryPosition> {
    const run = await findRow(tx, TreasuryRun, 'order by number desc limit 1');
    if (!run) return NO_RUN;
    const { number, upTo, owed } = run;
    const received = Object.entries(run.received).map(([network, sum]) => [network, Money.of(sum)] as const);
    return { number, upTo: BigInt(upTo), received: new Map(received), owed };
  }

  /** Returns the id of the run. */
  insertRun(tx: Tx, position: TreasuryPosition, runBy: string, at: Date): string {
    const { number, upTo, owed } = position;
    const id = newId();
    const received = Object.fromEntries(
      [...position.received].map(([network, sum]) => [network, sum.toString()]),
    );
    insertRow(tx, TreasuryRun, { id, number, at, runBy, upTo: upTo.toString(), received, owed });
    return id;
  }

  /** The id of the newest committed ledger entry, or 0, and the id of the database transaction that has read it. */
  async getNewestEntry(): Promise<{ entryId: bigint; transactionId: string }> {
    const [row] = await this.dataSource.query<{ newest: string; xid: string }[]>(
      `select coalesce(max(id), 0)::text as newest, pg_current_xact_id()::text as xid from ledger_entry`,
    );
    return { entryId: BigInt(row?.newest ?? '0'), transactionId: row?.xid ?? '0' };
  }

  /** True once every database transaction with an id up to this one has ended. */
  async haveTransactionsEnded(transactionId: string): Promise<boolean> {
    return BigInt(await findOldestXid(this.dataSource)) > BigInt(transactionId);
  }

  /**
   * Per strategy: USDC that users invested, and USDC that closings, cancellations and rejections returned to them. A move
   * counts as returned in one strategy and as invested in the other. Joins `investment` of the module investments.
   */
  async sumStrategyFlows(tx: Tx, { after, upTo }: EntryRange): Promise<StrategyFlow[]> {
    const rows = await tx.query<{ strategyId: string; invested: string; returned: string }[]>(
      `select investment.strategy_id as "strategyId",
              coalesce(-sum(entry.amount) filter (where posted.type = 'investment'), 0) as invested,
              coalesce(sum(entry.amount) filter (where posted.type <> 'investment'), 0) as returned
         from ledger_entry as entry
         join ledger_account as account on account.id = entry.account_id
          and account.kind = 'user.available' and account.asset = 'USDC'
         join ledger_transaction as posted on posted.id = entry.transaction_id
          and posted.reference_type = 'investment'
         -- the reference of a partial closing is '<investment id>:<number>'
         join investment on investment.id = split_part(posted.reference_id, ':', 1)::uuid
        where entry.id > $1 and entry.id <= $2
        group by investment.strategy_id order by investment.strategy_id`,
      [after.toString(), upTo.toString()],
    );
    return rows.map(({ strategyId, invested, returned }) => ({
      strategyId,
      invested: Money.of(invested),
      returned: Money.of(returned),
    }));
  }

  /**
   * USDC that the deposit provider received, and the change of the amount it has to keep: available balances and suspense, minus
   * what it holds in other currencies, which the entries of the account `conversion` show as negative amounts. Excludes treasury
   * transfers, which `sumTransfers` adds up.
   */
  async sumProviderChanges(
    tx: Tx,
    { after, upTo }: EntryRange,
  ): Promise<Pick<TreasuryPosition, 'received' | 'owed'>> {
    const rows = await tx.query<{ network: string | null; credited: string }[]>(
      `select case account.kind when 'asset.deposit-provider' then account.scope end as network,
              sum(entry.amount) as credited
         from ledger_entry as entry
         join ledger_account as account on account.id = entry.account_id and account.asset = 'USDC'
         join ledger_transaction as posted on posted.id = entry.transaction_id
        where entry.id > $1 and entry.id <= $2 and posted.type <> 'treasury-transfer'
          and account.kind in ('asset.deposit-provider', 'user.available', 'suspense', 'conversion')
        group by 1`,
      [after.toString(), upTo.toString()],
    );
    // An entry of an asset account is negative if money arrives.
    const received = rows.flatMap(({ network, credited }): [string, Money][] =>
      network === null ? [] : [[network, Money.of(credited).negated()]],
    );
    const owed = rows.find(({ network }) => network === null)?.credited; // the sum of the other three kinds of accounts
    return { received: new Map(received), owed: Money.of(owed ?? '0') };
  }

  /** Per network: USDC that transfers take from the deposit provider, rejected ones excluded. */
  async sumTransfers(tx: Tx): Promise<Map<string, Money>> {
    const rows = await tx.query<{ network: string; moved: string }[]>(
      `select network, sum(case purpose when 'deallocate' then -amount else amount end) as moved
         from admin_transaction where type = 'transfer' and status <> 'failed' group by network`,
    );
    return new Map(rows.map(({ network, moved }) => [network, Money.of(moved)]));
  }
}
