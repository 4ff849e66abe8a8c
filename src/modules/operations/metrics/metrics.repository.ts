import { Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import { DataSource } from 'typeorm';
import { backlogsSql, type EventBacklog } from '../../../events/event-backlog.repository.js';

const MAX_COUNT = 100_000; // bounds the cost of a count

/** The business figures that the database holds. */
export interface BusinessFigures {
  readonly withdrawals: readonly { status: string; count: number; oldestSeconds: number }[];
  readonly deposits: readonly { status: string; count: number }[];
  readonly webhooks: { readonly waiting: number; readonly lagSeconds: number; readonly dead: number };
  readonly navLagDays: readonly { strategy: string; days: number }[];
  /** Null before the first integrity run. */
  readonly integrity: { readonly status: string; readonly ageSeconds: number } | null;
  /** Completed payments that the chain refutes, by kind. */
  readonly mismatches: readonly { readonly kind: 'withdrawal' | 'transaction'; readonly count: number }[];
  readonly withdrawalsPaused: boolean;
  readonly unsealedSeconds: number;
  /** Null before the transparency log has a checkpoint. */
  readonly unclosedDays: number | null;
  readonly eventBacklogs: readonly EventBacklog[];
}

@Injectable()
export class MetricsRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** The connection pool of this process. */
  get pool(): Pick<Pool, 'totalCount' | 'idleCount' | 'waitingCount'> {
    return (this.dataSource.driver as unknown as { master: Pool }).master;
  }

  /**
   * Reads tables of the modules withdrawals, treasury, deposits, callbacks, strategies, integrity, ledger, proofs and liabilities in one
   * statement.
   */
  async findBusinessFigures(
    now: Date,
    today: string,
    consumers: readonly string[],
  ): Promise<BusinessFigures | undefined> {
    const [row] = await this.dataSource.query<BusinessFigures[]>(FIGURES, [now, today, consumers]);
    return row && { ...row, navLagDays: row.navLagDays ?? [], eventBacklogs: row.eventBacklogs ?? [] };
  }
}

const countOf = (source: string) =>
  `(select count(*)::int from (select ${source} limit ${MAX_COUNT}) as counted)`;
const ageOf = (instant: string) => `coalesce(greatest(extract(epoch from $1 - (${instant})), 0), 0)::float8`;

// Each part uses an index. $1 is now and $2 today, both in domain time; $3 are the names of the consumers of events. `recorded_at` is by the database's clock.
// When a day begins for a strategy, the NAV of the following day is published. So the newest NAV is of the day after the last
// begun one.
const FIGURES = `
  select
    (select jsonb_agg(jsonb_build_object('status', status,
        'count', ${countOf('from withdrawal where withdrawal.status = queue.status')},
        'oldestSeconds', ${ageOf('select min(created_at) from withdrawal where withdrawal.status = queue.status')}))
       from unnest(array['pending', 'approved', 'processing']) as queue (status)) as withdrawals,
    jsonb_build_array(
      jsonb_build_object('status', 'unconfirmed', 'count',
        ${countOf(`from deposit where status in ('pending', 'confirming') and hold_reason is null and not only_claimed`)}),
      jsonb_build_object('status', 'held', 'count',
        ${countOf('from deposit where hold_reason is not null')})) as deposits,
    jsonb_build_object(
      'waiting', ${countOf(`from webhook_event where status = 'received'`)},
      'lagSeconds', ${ageOf(`select min(received_at) from webhook_event where status = 'received'`)},
      'dead', ${countOf(`from webhook_event where status = 'failed'`)}) as webhooks,
    (select jsonb_agg(jsonb_build_object('strategy', id, 'days', $2::date - day))
       from strategy, lateral (select max(day) - 1 as day from strategy_nav where strategy_id = id) as newest
      where removed_at is null and day is not null) as "navLagDays",
    (select jsonb_build_object('status', status, 'ageSeconds', ${ageOf('checked_at')})
       from integrity_run order by checked_at desc, id desc limit 1) as integrity,
    jsonb_build_array(
      jsonb_build_object('kind', 'withdrawal', 'count', ${countOf(`from withdrawal where chain_check = 'mismatch'`)}),
      jsonb_build_object('kind', 'transaction', 'count',
        ${countOf(`from admin_transaction where chain_check = 'mismatch'`)})) as mismatches,
    exists (select from withdrawal_pause where resumed_at is null) as "withdrawalsPaused",
    coalesce(greatest(extract(epoch from clock_timestamp() -
      (select recorded_at from ledger_entry as entry join ledger_transaction as posted on posted.id = transaction_id
        where entry.id > coalesce((select sealed_entry_id from proof_log), 0) order by entry.id limit 1)), 0), 0)::float8
      as "unsealedSeconds",
    (select greatest($2::date - day, 0)
       from (select coalesce((select max(day) + 1 from liability_day),
                             (select (min(at) at time zone 'UTC')::date from proof_checkpoint)) as day) as next
      where day is not null) as "unclosedDays",
    (select json_agg(backlog) from (${backlogsSql('$3')}) as backlog) as "eventBacklogs"`;
