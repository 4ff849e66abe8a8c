import { Injectable, type OnModuleInit } from '@nestjs/common';
import { HOUR_MS } from '../../../common/durations.js';
import { prepared } from '../../../database/prepared.js';
import type { Snapshot } from '../../../database/snapshots.js';
import { write } from '../../../database/statements.js';
import type { Tx } from '../../../database/unit-of-work.js';
import { wasMoved } from '../../../lists/list-rows.js';
import { differingHours, periodsOf, replaceSums, sumsOfParts } from '../../../lists/sum-statements.js';
import { hoursOfRecords } from '../../../lists/total-marks.js';
import { TotalRuns } from '../../../lists/total-runs.js';
import { PLATFORM } from '../../core/ledger/domain/chart-of-accounts.js';
import { USERS } from '../../identity/users/users.repository.js';
import { FIGURES } from './domain/figures.js';

// The sums of reports, which are recomputed from the records. Reads tables of the modules users, investments, deposits, withdrawals,
// transactions and ledger.

const SUMS = Object.values(FIGURES);
const ROLLUP = {
  table: 'report_rollup',
  fixed: ['span'],
  time: 'since',
  group: 'strategy_id',
  sums: SUMS,
} as const;

/** Hours that one statement compares with the records. */
const COMPARED_HOURS = 1000;

const within = (time: string) => `${time} >= hour.at and ${time} < hour.at + interval '1 hour'`;

/** Rows of hour, strategy, figure and value, to be added up. */
const CHANGES = [
  `select hour.at, '', 'users', count(*)::numeric from hour join ${USERS} as account on ${within('created_at')} group by 1`,
  // A user who ends the last open investment and makes the next one within an hour has no gap.
  `select hour.at, '', 'holders', count(*)::numeric from hour join user_gap on resumed = hour.at group by 1`,
  `select hour.at, '', 'holders', -count(*)::numeric from hour join user_gap on ended = hour.at group by 1`,
  // The amount paid into an investment is the rest of its principal plus its closed parts. A move ends one investment and
  // continues it in a second one, which counts here; the first one is subtracted from `made` and `made_amount` below.
  // `waited`: the investment was pending at first. One that ends without units has ended while it was pending.
  `select hour.at, strategy_id, step.figure, sum(step.value)
     from hour join investment on ${within('created_at')},
          lateral (select amount + closed_principal as first,
                          status = 'pending' or (status = 'cancelled' and units = 0) or approved_at is not null as waited) as was,
          lateral (values ('made', 1), ('made_amount', first), ('principal', first), ('active', (not waited)::int),
                          ('pending', waited::int), ('pending_principal', first * waited::int)) as step(figure, value)
    group by 1, 2, 3`,
  `select hour.at, strategy_id, step.figure, sum(step.value)
     from hour join investment on ${within('approved_at')},
          lateral (values ('active', 1), ('pending', -1), ('pending_principal', -amount - closed_principal)) as step(figure, value)
    group by 1, 2, 3`,
  `select hour.at, strategy_id, step.figure, sum(step.value)
     from hour join investment on ${within('ended_at')},
          lateral (values ('principal', -amount), ('active', -(units > 0)::int), ('pending', -(units = 0)::int),
                          ('pending_principal', -amount * (units = 0)::int), ('made', -${wasMoved('investment')}::int),
                          ('made_amount', -amount * ${wasMoved('investment')}::int)) as step(figure, value)
    group by 1, 2, 3`,
  `select hour.at, strategy_id, step.figure, -sum(closing.principal)
     from hour join investment_closing as closing on ${within('closing.at')}
     join investment on investment.id = closing.investment_id,
          lateral (values ('principal'), ('made_amount')) as step(figure) group by 1, 2, 3`,
  // The postings of an investment refer to its id, those of a closing to the id and the number of the closing. `offset 0` makes
  // PostgreSQL read the accounts by time for each hour; otherwise it would read all their entries.
  `select hour.at, case entry.kind when 'strategy.accrued' then entry.scope else coalesce(paying.strategy_id, '') end,
          case entry.kind when 'strategy.accrued' then 'accrued' when 'income.management-fee' then 'management_fees'
               else 'performance_fees' end,
          sum(entry.amount)
     from hour,
          lateral (select account.kind, account.scope, posted.transaction_id, posted.amount
                     from ledger_account as account join ledger_entry as posted on posted.account_id = account.id
                    where account.owner_id = '${PLATFORM}'
                      and account.kind in ('strategy.accrued', 'income.management-fee', 'income.performance-fee')
                      and account.asset = 'USDC' and ${within('posted.effective_at')} offset 0) as entry
     left join ledger_transaction as posting
       on entry.kind <> 'strategy.accrued' and posting.id = entry.transaction_id and posting.reference_type = 'investment'
     left join investment as paying
       on paying.id = case when pg_input_is_valid(split_part(posting.reference_id, ':', 1), 'uuid')
                           then split_part(posting.reference_id, ':', 1)::uuid end
    group by 1, 2, 3`,
  `select hour.at, '', step.figure, sum(step.value)
     from hour join user_transaction on type in ('deposit', 'withdrawal') and ${within('completed_at')},
          lateral (values ('settled', 1::numeric), ('settled_ms', extract(epoch from completed_at - created_at) * 1000))
            as step(figure, value)
    group by 1, 2, 3`,
];

const sumsOfHours = (hours: string) => `
  with hour as materialized (select at from unnest(${hours}::timestamptz[]) as period(at))
  select at as since, strategy_id,
         ${SUMS.map((sum) => `coalesce(sum(value) filter (where figure = '${sum}'), 0) as ${sum}`).join(',\n         ')}
    from (${CHANGES.join('\n union all\n ')}) as change(at, strategy_id, figure, value) group by 1, 2`;
const HOURS = prepared(replaceSums(ROLLUP, sumsOfHours('$2')));
const DIFFERENCES = differingHours(ROLLUP, {
  computed: sumsOfHours('$1'),
  held: `span = 'hour' and since = any($1::timestamptz[])`,
  span: 'hour',
});
const DAYS = prepared(replaceSums(ROLLUP, sumsOfParts(ROLLUP, 'day', 'hour')));

/** Records and times that events name. */
interface ChangedRecords {
  readonly withdrawalIds: readonly string[];
  readonly depositIds: readonly string[];
  readonly investmentIds: readonly string[];
  readonly times: readonly Date[];
}

// The records of transactions that follow from an investment have the time of its event.
const MARK_CHANGED = `
  with record as (
    select created_at, completed_at from user_transaction
     where (reference_type = 'withdrawal' and reference_id = any($1::text[]))
        or (reference_type = 'deposit' and reference_id = any($2::text[]))
  ), changed(name, at) as (
    select 'transaction', created_at from record
    union all select 'report', completed_at from record where completed_at is not null
    union all select name, at from unnest(array['transaction', 'report']) as summed(name), unnest($4::timestamptz[]) as event(at)
  )
  insert into total_mark (name, hour)
  select distinct name, date_trunc('hour', at, 'UTC') from changed
  union all ${hoursOfRecords('withdrawal', '$1')}
  union all ${hoursOfRecords('deposit', '$2')}
  union all ${hoursOfRecords('investment', '$3')}`;

const REPLACE_GAPS = `
  with computed as materialized (select * from user_gap_recomputed where user_id = any($1::uuid[])),
  gone as (
    delete from user_gap as held where user_id = any($1::uuid[])
       and not exists (select from computed
                        where computed.user_id = held.user_id and computed.ended = held.ended and computed.resumed = held.resumed)
    returning ended, resumed
  ), added as (
    insert into user_gap select * from computed on conflict do nothing returning ended, resumed
  )
  insert into total_mark (name, hour)
  select distinct 'report', at
    from (select * from gone union all select * from added) as gap, lateral (values (ended), (resumed)) as change(at)
   where isfinite(at)`;

/** Marks the hours of changed records, writes the gaps of users between their investments, and recomputes sums by hour and by day. */
@Injectable()
export class ReportSumsRepository implements OnModuleInit {
  constructor(private readonly runs: TotalRuns) {}

  onModuleInit(): void {
    this.runs.register({
      name: 'report',
      recompute: recomputeReportSums,
      findDifferences,
    });
  }

  /** Marks the hours of the records that events name. */
  markChanged(tx: Tx, { withdrawalIds, depositIds, investmentIds, times }: ChangedRecords): void {
    const instants = times.map((time) => time.toISOString());
    write(tx, MARK_CHANGED, [withdrawalIds, depositIds, investmentIds, instants]);
  }

  /** Recomputes the gaps of users, and marks the hours at which the changed ones begin and end. */
  replaceGaps(tx: Tx, userIds: readonly string[]): void {
    write(tx, REPLACE_GAPS, [userIds]);
  }
}

async function recomputeReportSums(tx: Pick<Tx, 'query'>, hours: readonly Date[]): Promise<void> {
  await tx.query(HOURS, ['hour', periodsOf('hour', hours)]);
  await tx.query(DAYS, ['day', periodsOf('day', hours)]);
}

/** Compares the hours from the first one with a sum. */
async function findDifferences(snapshot: Snapshot, until: Date): Promise<Date[]> {
  const [row] = await snapshot.query<{ first: Date | null }>(
    'select min(since) as first from report_rollup',
    [],
  );
  const found: Date[] = [];
  let start = (row?.first ?? until).getTime();
  while (start <= until.getTime()) {
    const hours = Array.from({ length: COMPARED_HOURS }, (_, index) => new Date(start + index * HOUR_MS));
    const rows = await snapshot.query<{ hour: Date }>(DIFFERENCES, [periodsOf('hour', hours)]);
    found.push(...rows.map(({ hour }) => hour));
    start += COMPARED_HOURS * HOUR_MS;
  }
  return found;
}
