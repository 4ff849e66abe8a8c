import { Injectable, Logger } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Clock } from '../../common/clock.js';
import { CATALOGUE } from '../strategies/domain/catalogue.js';

const GOOD_FOR_MS = 5000;
const PATIENCE_MS = 1000;
const MOST_COUNTED = 100_000; // above it, how many exactly is of no interest

/** What stands in the database and is watched from outside. */
export interface Watched {
  readonly withdrawals: readonly { status: string; count: number; oldestSeconds: number }[];
  readonly deposits: readonly { status: string; count: number }[];
  readonly webhooks: { readonly waiting: number; readonly lagSeconds: number; readonly dead: number };
  readonly navLagDays: readonly { strategy: string; days: number }[];
  /** Null before the first run. */
  readonly integrity: { readonly status: string; readonly ageSeconds: number } | null;
}

const counted = (what: string) =>
  `(select count(*)::int from (select ${what} limit ${MOST_COUNTED}) as found)`;
const ageOf = (instant: string) => `coalesce(greatest(extract(epoch from $1 - (${instant})), 0), 0)::float8`;

/** One statement, and an index for each part of it. `$1` is now, `$2` today, `$3` the strategies, all of domain time. */
const LOOK = `
  select
    (select jsonb_agg(jsonb_build_object('status', status,
        'count', ${counted('from withdrawal as one where one.status = queue.status')},
        'oldestSeconds', ${ageOf('select min(created_at) from withdrawal as one where one.status = queue.status')}))
       from unnest(array['pending', 'approved', 'processing']) as queue (status)) as withdrawals,
    jsonb_build_array(
      jsonb_build_object('status', 'unconfirmed', 'count',
        ${counted(`from deposit where status in ('pending', 'confirming') and hold_reason is null and not only_claimed`)}),
      jsonb_build_object('status', 'held', 'count',
        ${counted('from deposit where hold_reason is not null')})) as deposits,
    jsonb_build_object(
      'waiting', ${counted(`from webhook_event where status = 'received'`)},
      'lagSeconds', ${ageOf(`select min(received_at) from webhook_event where status = 'received'`)},
      'dead', ${counted(`from webhook_event where status = 'failed'`)}) as webhooks,
    (select jsonb_agg(jsonb_build_object('strategy', id, 'days', $2::date - day))
       from unnest($3::text[]) as strategy (id),
            lateral (select max(day) - 1 as day from strategy_nav where strategy_id = id) as newest
      where day is not null) as "navLagDays",
    (select jsonb_build_object('status', status, 'ageSeconds', ${ageOf('checked_at')})
       from integrity_run order by checked_at desc, id desc limit 1) as integrity`;

/**
 * Looks at the database for a scrape: one statement every five seconds at most, however many ask, and nobody waits for
 * it longer than a second.
 */
@Injectable()
export class WatchedRows {
  private readonly log = new Logger('Metrics');
  private running: Promise<Watched | undefined> | undefined;
  private last: { readonly watched: Watched | undefined; readonly until: number } | undefined;

  constructor(
    private readonly dataSource: DataSource,
    private readonly clock: Clock,
  ) {}

  /** Undefined when the database does not answer in time. */
  async look(): Promise<Watched | undefined> {
    if (this.last && performance.now() < this.last.until) return this.last.watched;
    this.running ??= this.ask().finally(() => (this.running = undefined));
    let timer: NodeJS.Timeout | undefined;
    const patience = new Promise<undefined>(
      (resolve) => (timer = setTimeout(resolve, PATIENCE_MS, undefined)),
    );
    const watched = await Promise.race([this.running, patience]);
    clearTimeout(timer);
    return watched;
  }

  private async ask(): Promise<Watched | undefined> {
    const now = this.clock.now();
    const strategies = CATALOGUE.map(({ id }) => id);
    const watched = await this.dataSource.query<Watched[]>(LOOK, [now, this.clock.today(), strategies]).then(
      ([row]) => row && { ...row, navLagDays: row.navLagDays ?? [] },
      (error: unknown) => {
        this.log.warn({ msg: 'the database did not answer a scrape', err: error });
        return undefined;
      },
    );
    this.last = { watched, until: performance.now() + GOOD_FOR_MS };
    return watched;
  }
}
