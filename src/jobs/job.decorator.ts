import type { AppConfig } from '../config/app-config.js';

type SecondsSetting = Extract<keyof AppConfig, `${string}_SECONDS`>;

interface Interval {
  /** The interval, or the setting that holds it. A run that takes longer delays the next one. */
  readonly everySeconds: number | SecondsSetting;
}

interface TimeOfDay {
  /**
   * HH:MM in UTC, by the domain clock. Every process runs the job once on each day, at this time or after a later start; it
   * tries again each minute until a run succeeds. A job that only one process may do per day has to check that itself.
   */
  readonly dailyAt: `${number}:${number}`;
}

export type JobOptions = (Interval | TimeOfDay) & {
  /** Unique: names the job in the log, in docs/jobs.md and, if it is exclusive, in the table `lease`. */
  readonly name: string;
  /** What the job does, for operators: a row of docs/jobs.md. */
  readonly purpose: string;
  /** The first run is at the start of the process, which does not wait for it. Such runs follow one another, those of daily jobs last. */
  readonly atStart?: true;
  /** Runs in one process at a time, under a lease; other processes skip their run. The job must be idempotent, see `Leases`. */
  readonly exclusive?: true;
  /** Runs also while commits wait for a standby of the database; other jobs begin no run then (`WaitingCommits`). */
  readonly withoutDatabase?: true;
};

/** Long work returns early when `stopping` is aborted, which happens at shutdown. */
export type JobMethod = (stopping: AbortSignal) => Promise<unknown>;

const JOB = Symbol('job');

/** Marks a method of a provider that `Jobs` runs periodically in the background. */
export function Job(options: JobOptions) {
  return <Method extends JobMethod>(
    _prototype: object,
    _name: string,
    { value }: TypedPropertyDescriptor<Method>,
  ): void => Reflect.defineMetadata(JOB, options, value as Method);
}

export function jobOptionsOf(method: object): JobOptions | undefined {
  return Reflect.getMetadata(JOB, method) as JobOptions | undefined;
}
