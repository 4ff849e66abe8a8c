import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Clock } from '../common/clock.js';
import { addDays, dayOf, startOfDay } from '../common/days.js';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../common/durations.js';
import { isLostConnection } from '../common/errors/database-error.js';
import { prepared } from '../database/prepared.js';
import type { Snapshot } from '../database/snapshots.js';
import { UnitOfWork, type Tx } from '../database/unit-of-work.js';
import { COMMIT_WITHOUT_FLUSH_SQL } from '../events/commit-horizons.js';
import type { TotalName } from './total-marks.js';

/** Sums that are recomputed by hours. */
export interface TotalSource {
  readonly name: TotalName;
  /** A table without changes of rows after their insertion, whose new rows are found by its time column instead of marks. */
  readonly followed?: { readonly table: string; readonly time: string };
  /** Recomputes the sums of the hours and of the periods that contain them. Sums by hour are kept from `hoursSince` on. */
  recompute(tx: Tx, hours: readonly Date[], hoursSince: Date): Promise<void>;
  /** The hours whose sums differ from the rows, also because of changes that are not recomputed yet. Reads all rows. */
  findDifferences(snapshot: Snapshot, until: Date): Promise<Date[]>;
}

/** Marks of one transaction. A year of marks of a list takes some minutes, a minute's marks far less than a second. */
const MAX_MARKS = 1000;
/** The time between two runs of a source, in durations of its last run: recomputing takes at most a tenth of a connection. */
const PAUSE_FACTOR = 10;
/** Days, besides the present one, whose sums by hour are kept. */
const DAYS_BY_HOUR = 2;
/** A transaction may commit so long after the time of its row. */
const LATE_COMMIT_MS = HOUR_MS;
/** The same limit in real minutes, which counts if the domain clock was set or the machine has slept. */
const LATE_COMMIT_MINUTES = 10;

const MARKED = prepared(`
  select name from unnest($1::text[]) as source(name)
   where exists (select from total_mark where total_mark.name = source.name)`);
// The age of the oldest event that the consumer of totals has not read, so that its hour may not be marked yet. Notifications, which
// consumers emit all the time, change no sums unless their event carries a balance.
const UNREAD_MS = prepared(`
  select coalesce((select extract(epoch from clock_timestamp() - written_at) * 1000 from domain_event
                    where number > (select number from event_consumer where name = 'totals') and (type <> 'notification.created' or balance is not null)
                    order by number limit 1), 0)::float8 as "unreadMs"`);
// One process at a time recomputes a source. Range conditions on times are estimated badly, so that sequential scans are off.
const BEGIN_RUN = prepared(`
  select pg_advisory_xact_lock(hashtextextended('total ' || $1, 0)), set_config('enable_seqscan', 'off', true), set_config('jit', 'off', true),
         ${COMMIT_WITHOUT_FLUSH_SQL}`);
const TAKE_MARKS = prepared(`
  with taken as (
    delete from total_mark where id = any(array(select id from total_mark where name = $1 order by hour limit $2)) returning hour
  ) select hour, count(*)::int as marks from taken group by hour`);
const KEEP_HOURS = prepared(`
  insert into total_run as run (name, hours_since) values ($1, $2)
  on conflict (name) do update set hours_since = greatest(run.hours_since, excluded.hours_since)
  returning hours_since as "hoursSince"`);
const COMPLETE = prepared(`
  insert into total_run as run (name, as_of) select name, $2 from unnest($1::text[]) as source(name)
  on conflict (name) do update set as_of = greatest(run.as_of, excluded.as_of)`);

/** Recomputes marked sums. */
@Injectable()
export class TotalRuns {
  private readonly sources = new Map<TotalName, TotalSource>();
  /** When a source may run again, by `performance.now()`. */
  private readonly notBefore = new Map<TotalName, number>();
  /** For each followed table, the number of rows of each recent hour when its sums were last computed. */
  private readonly seen = new Map<TotalName, ReadonlyMap<number, number>>();
  /**
   * For each minute of real time, by `performance.now()`, the earliest domain time at which a run, or the process, began: rows that are
   * committed now may have a time as early as the earliest of the last minutes, also if the domain clock was set meanwhile.
   */
  private readonly earliest = new Map<number, Date>();

  constructor(
    private readonly dataSource: DataSource,
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
  ) {
    this.earliestRecently(clock.now());
  }

  register(source: TotalSource): void {
    this.sources.set(source.name, source);
  }

  get all(): readonly TotalSource[] {
    return [...this.sources.values()];
  }

  /** Recomputes the marked sums, at most `MAX_MARKS` of each source that may run again. */
  async runDue(stopping?: AbortSignal): Promise<void> {
    const now = performance.now();
    await this.run(
      this.all.filter(({ name }) => (this.notBefore.get(name) ?? 0) <= now),
      stopping,
    );
  }

  /** Recomputes all marked sums, without pauses. */
  async runAll(): Promise<void> {
    while ((await this.runOnce()).length < this.sources.size);
  }

  /** Recomputes at most `MAX_MARKS` of each source. Returns the sources whose sums include all changes. */
  runOnce(stopping?: AbortSignal): Promise<readonly TotalName[]> {
    return this.run(this.all, stopping);
  }

  /** Returns the names of the sources whose sums include all changes. */
  private async run(sources: readonly TotalSource[], stopping?: AbortSignal): Promise<readonly TotalName[]> {
    const startedAt = await this.findCompleteTime();
    const earliest = this.earliestRecently(startedAt);
    const names = sources.map(({ name }) => name);
    const rows = await this.dataSource.query<{ name: TotalName }[]>(MARKED, [names]);
    const marked = new Set(rows.map(({ name }) => name));
    const complete: TotalName[] = [];
    let failure: Error | undefined;
    for (const source of sources) {
      if (stopping?.aborted) break;
      const begun = performance.now();
      try {
        const rowsOfHours = await this.countRecentRows(source, earliest);
        const seen = this.seen.get(source.name);
        const changed = [...rowsOfHours].filter(([hour, count]) => seen?.get(hour) !== count);
        const hours = changed.map(([hour]) => new Date(hour));
        const isUnchanged = hours.length === 0 && !marked.has(source.name);
        if (isUnchanged || (await this.recompute(source, hours, startedAt))) {
          this.seen.set(source.name, rowsOfHours);
          complete.push(source.name);
        }
      } catch (error) {
        failure ??= error as Error; // the sums of other sources do not wait for this one
        // A server that has failed may have lost the sums whose commit was not on the disk.
        if (isLostConnection(error)) {
          complete.length = 0;
          this.seen.clear();
        }
      }
      this.notBefore.set(source.name, performance.now() + PAUSE_FACTOR * (performance.now() - begun));
    }
    // The time is stored after the sums, in a transaction of its own. Its commit waits until it and the sums before it are on the disk
    // and at a standby. If it fails, the sums may be lost, too: the next run computes those of all recent hours again.
    if (complete.length > 0)
      await this.dataSource.query(COMPLETE, [complete, startedAt]).catch((error: unknown) => {
        this.seen.clear();
        throw error;
      });
    if (failure) throw failure;
    return complete;
  }

  /** The time up to which every change that is committed has been marked. */
  private async findCompleteTime(): Promise<Date> {
    const now = this.clock.now().getTime();
    const [{ unreadMs }] = await this.dataSource.query<[{ unreadMs: number }]>(UNREAD_MS);
    return new Date(now - Math.ceil(unreadMs));
  }

  /** Notes a time. Returns the earliest one of the last minutes. */
  private earliestRecently(time: Date): Date {
    const minute = Math.floor(performance.now() / MINUTE_MS);
    const earlier = this.earliest.get(minute);
    if (!earlier || time < earlier) this.earliest.set(minute, time);
    for (const noted of this.earliest.keys())
      if (noted < minute - LATE_COMMIT_MINUTES) this.earliest.delete(noted);
    return new Date(Math.min(...[...this.earliest.values()].map((noted) => noted.getTime())));
  }

  /**
   * The number of rows of a followed table in each hour that may have new ones: since the last complete run, or since `earliest`,
   * which is before it if the clock was set; without a complete run, also in the `DAYS_BY_HOUR` days before `earliest`.
   */
  private async countRecentRows(
    { name, followed }: TotalSource,
    earliest: Date,
  ): Promise<ReadonlyMap<number, number>> {
    if (!followed) return new Map();
    const { table, time } = followed;
    const rows = await this.dataSource.query<{ hour: Date; rows: number }[]>(
      prepared(`
       select date_trunc('hour', ${time}, 'UTC') as hour, count(*)::int as rows from ${table}
        where ${time} >= date_trunc('hour', least(coalesce((select as_of from total_run where name = $1 and as_of > 'epoch'), $4), $3)
                                            - make_interval(secs => $2), 'UTC')
        group by 1`),
      [name, LATE_COMMIT_MS / 1000, earliest, new Date(earliest.getTime() - DAYS_BY_HOUR * DAY_MS)],
    );
    return new Map(rows.map(({ hour, rows: count }) => [hour.getTime(), count]));
  }

  /** Returns whether it has taken all marks of the source. The sums may not be on the disk yet (`COMMIT_WITHOUT_FLUSH_SQL`). */
  private async recompute(source: TotalSource, changed: readonly Date[], now: Date): Promise<boolean> {
    const { name } = source;
    const marks = await this.unitOfWork.runInNewTransaction(async (tx) => {
      await tx.query(BEGIN_RUN, [name]);
      const firstDay = startOfDay(addDays(dayOf(now), -DAYS_BY_HOUR));
      const [run] = await tx.query<[{ hoursSince: Date }]>(KEEP_HOURS, [name, firstDay]);
      const taken = await tx.query<{ hour: Date; marks: number }[]>(TAKE_MARKS, [name, MAX_MARKS]);
      const hours = [...taken.map(({ hour }) => hour), ...changed];
      if (hours.length > 0) await source.recompute(tx, hours, run.hoursSince);
      return taken.reduce((sum, row) => sum + row.marks, 0);
    });
    return marks < MAX_MARKS;
  }
}
