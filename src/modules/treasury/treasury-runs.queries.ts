import { Injectable } from '@nestjs/common';
import type { Tx } from '../../database/unit-of-work.js';
import { newId } from '../../common/ids.js';
import { Money } from '../../common/money.js';
import type { StrategyFlow } from './treasury-plan.js';

/** How far the treasury has looked, and what it has seen up to there. */
export interface TreasuryRun {
  readonly id: string;
  readonly number: number;
  /** Id of a ledger entry. */
  readonly upTo: bigint;
  /** Per network: USDC that the deposit provider has got, the treasury's transfers left out. */
  readonly received: ReadonlyMap<string, Money>;
  /** USDC that it has to keep. */
  readonly owed: Money;
}

type Window = { readonly after: bigint; readonly upTo: bigint };

const BEFORE_THE_FIRST: Omit<TreasuryRun, 'id'> = {
  number: 0,
  upTo: 0n,
  received: new Map(),
  owed: Money.ZERO,
};

/** What runs of the treasury read of the ledger and keep of it. */
@Injectable()
export class TreasuryRunQueries {
  /** The last run; whoever else plans or hands out transfers waits until the transaction ends. */
  async lockLast(tx: Tx): Promise<Omit<TreasuryRun, 'id'>> {
    await lockTreasury(tx);
    const [row] = await tx.query<
      { number: number; upTo: string; received: Record<string, string>; owed: string }[]
    >('select number, up_to as "upTo", received, owed from treasury_run order by number desc limit 1');
    if (!row) return BEFORE_THE_FIRST;
    return {
      number: row.number,
      upTo: BigInt(row.upTo),
      received: new Map(Object.entries(row.received).map(([network, amount]) => [network, Money.of(amount)])),
      owed: Money.of(row.owed),
    };
  }

  async keep(tx: Tx, run: Omit<TreasuryRun, 'id'>, by: string, at: Date): Promise<string> {
    const id = newId();
    const received = Object.fromEntries([...run.received].map(([network, sum]) => [network, sum.toString()]));
    await tx.query(
      `insert into treasury_run (id, number, at, run_by, up_to, received, owed) values ($1, $2, $3, $4, $5, $6, $7)`,
      [id, run.number, at, by, run.upTo.toString(), received, run.owed.toString()],
    );
    return id;
  }

  /** What users put into each strategy and got out of it: what left their free balances and came back. */
  async flows(tx: Tx, { after, upTo }: Window): Promise<StrategyFlow[]> {
    const rows = await tx.query<{ strategyId: string; invested: string; returned: string }[]>(
      `select investment.strategy_id as "strategyId",
              coalesce(-sum(entry.amount) filter (where posted.type = 'investment'), 0) as invested,
              coalesce(sum(entry.amount) filter (where posted.type <> 'investment'), 0) as returned
         from ledger_entry as entry
         join ledger_account as account on account.id = entry.account_id
          and account.kind = 'user.available' and account.asset = 'USDC'
         join ledger_transaction as posted on posted.id = entry.transaction_id
          and posted.reference_type = 'investment'
         join investment on investment.id = split_part(posted.reference_id, ':', 1)::uuid -- a part has its number behind it
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
   * What the deposit provider got, and by how much more it has to keep: free balances and what waits in suspense, less
   * what it holds for them in another currency than USDC.
   */
  async changes(tx: Tx, { after, upTo }: Window): Promise<Pick<TreasuryRun, 'received' | 'owed'>> {
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
    const received = rows.flatMap(({ network, credited }): [string, Money][] =>
      network === null ? [] : [[network, Money.of(credited).negated()]],
    );
    return {
      received: new Map(received),
      owed: Money.of(rows.find(({ network }) => network === null)?.credited ?? '0'),
    };
  }

  /** Per network, what all transfers that were not rejected take away from the deposit provider. */
  async moved(tx: Tx): Promise<Map<string, Money>> {
    const rows = await tx.query<{ network: string; moved: string }[]>(
      `select network, sum(case purpose when 'deallocate' then -amount else amount end) as moved
         from admin_transaction where type = 'transfer' and status <> 'failed' group by network`,
    );
    return new Map(rows.map(({ network, moved }) => [network, Money.of(moved)]));
  }
}

/** One run or hand-out of transfers at a time. */
export async function lockTreasury(tx: Tx): Promise<void> {
  await tx.query(`select pg_advisory_xact_lock(hashtextextended('treasury', 0))`);
}
