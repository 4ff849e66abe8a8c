import { Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import { DataSource } from 'typeorm';
import { backlogsSql, type EventBacklog } from '../../../events/event-backlog.repository.js';
import { secondsSince } from '../../../lists/count-rows.js';
import { NEXT_DAY } from '../../assurance/liabilities/liabilities.repository.js';
import { SEALED_ENTRY_ID } from '../../assurance/proofs/log.repository.js';
import { REFUTED_TRANSACTIONS } from '../../backoffice/treasury/admin-transactions.repository.js';
import { callbackFigures } from '../../funds/callbacks/webhook-events.repository.js';
import { UNFINISHED_DEPOSITS } from '../../funds/deposits/deposit-lists.repository.js';
import {
  queueFigures,
  REFUTED_WITHDRAWALS,
  IS_PAUSED,
} from '../../funds/withdrawals/withdrawals.repository.js';

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

  /** Reads all figures in one statement: from tables of the modules strategies, integrity and ledger, and by the SQL of other modules. */
  async findBusinessFigures(
    now: Date,
    today: string,
    consumers: readonly string[],
  ): Promise<BusinessFigures | undefined> {
    const [row] = await this.dataSource.query<BusinessFigures[]>(FIGURES, [now, today, consumers]);
    return row && { ...row, navLagDays: row.navLagDays ?? [], eventBacklogs: row.eventBacklogs ?? [] };
  }
}

/** SQL: when the oldest ledger transaction that is not in the transparency log was recorded, by the database's clock. */
const OLDEST_UNSEALED = `
  select recorded_at from ledger_entry as entry join ledger_transaction as posted on posted.id = transaction_id
   where entry.id > coalesce(${SEALED_ENTRY_ID}, 0) order by entry.id limit 1`;

// Each part uses an index. $1 is now and $2 today, both in domain time; $3 are the names of the consumers of events. When a day begins
// for a strategy, the NAV of the following day is published. So the newest NAV is of the day after the last begun one.
const FIGURES = `
  select
    ${queueFigures('$1')} as withdrawals,
    ${UNFINISHED_DEPOSITS} as deposits,
    ${callbackFigures('$1')} as webhooks,
    (select jsonb_agg(jsonb_build_object('strategy', id, 'days', $2::date - day))
       from strategy, lateral (select max(day) - 1 as day from strategy_nav where strategy_id = id) as newest
      where removed_at is null and day is not null) as "navLagDays",
    (select jsonb_build_object('status', status, 'ageSeconds', ${secondsSince('checked_at', '$1')})
       from integrity_run order by checked_at desc, id desc limit 1) as integrity,
    jsonb_build_array(
      jsonb_build_object('kind', 'withdrawal', 'count', ${REFUTED_WITHDRAWALS}),
      jsonb_build_object('kind', 'transaction', 'count', ${REFUTED_TRANSACTIONS})) as mismatches,
    ${IS_PAUSED} as "withdrawalsPaused",
    ${secondsSince(OLDEST_UNSEALED, 'clock_timestamp()')} as "unsealedSeconds",
    (select greatest($2::date - day, 0) from (select ${NEXT_DAY} as day) as next where day is not null) as "unclosedDays",
    (select json_agg(backlog) from (${backlogsSql('$3')}) as backlog) as "eventBacklogs"`;
