import type { ScheduledJob } from './scheduled-job.js';

interface Attempt<Item> {
  readonly item: Item;
  readonly end: Promise<void>;
}

/**
 * The running attempts of a job to deliver items, such as e-mails: at most `limit` at once. The job does not wait for them;
 * the end of each one wakes it, so that it can start another one.
 */
export class Attempts<Item extends { readonly id: string }> {
  private readonly running = new Map<string, Attempt<Item>>();

  /** `job` is a function, because jobs exist only after the modules are initialised. */
  constructor(
    private readonly limit: number,
    private readonly job: () => ScheduledJob,
  ) {}

  /** The number of attempts that may be started now. */
  get free(): number {
    return this.limit - this.running.size;
  }

  /** The items whose attempt is running. */
  get items(): Item[] {
    return [...this.running.values()].map(({ item }) => item);
  }

  /** `attempt` must not reject. */
  start(item: Item, attempt: (item: Item) => Promise<void>): void {
    const end = attempt(item).finally(() => {
      this.running.delete(item.id);
      this.job().wake();
    });
    this.running.set(item.id, { item, end });
  }

  /** Resolves when all running attempts have ended. */
  async allEnded(): Promise<void> {
    await Promise.all([...this.running.values()].map(({ end }) => end));
  }

  /** Runs the job until nothing is due, and waits for all attempts. For tests. */
  async drain(): Promise<void> {
    const job = this.job();
    do {
      await job.runOnce();
      await this.allEnded();
      await job.idle(); // each attempt that ended has woken the job
    } while (this.running.size > 0);
  }
}
