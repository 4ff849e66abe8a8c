interface Waiter {
  readonly caller: string;
  readonly begin: () => void;
}

/** Running requests of all callers together. */
const MAX_RUNNING = 4;
/** Waiting requests of one caller. */
const MAX_WAITING = 20;
const MAX_WAIT_MS = 5000;

/** Limits concurrent requests to the node: each caller runs one at a time, in the order of arrival. */
export class CallerSlots {
  private readonly running = new Set<string>();
  private readonly waiting: Waiter[] = [];

  /** The result of `work`; undefined if no slot became free in time, or if too many requests of the caller are waiting. */
  async runInSlot<Result>(caller: string, work: () => Promise<Result>): Promise<Result | undefined> {
    if (this.isFree(caller)) this.running.add(caller);
    else if (!(await this.waitForSlot(caller))) return undefined;
    try {
      return await work();
    } finally {
      this.running.delete(caller);
      this.startNext();
    }
  }

  private isFree(caller: string): boolean {
    return this.running.size < MAX_RUNNING && !this.running.has(caller);
  }

  private async waitForSlot(caller: string): Promise<boolean> {
    if (this.waiting.filter((waiter) => waiter.caller === caller).length >= MAX_WAITING) return false;
    return new Promise<boolean>((resolve) => {
      const timer = setTimeout(() => {
        this.waiting.splice(this.waiting.indexOf(waiter), 1);
        resolve(false);
      }, MAX_WAIT_MS).unref();
      const waiter: Waiter = {
        caller,
        begin: () => {
          clearTimeout(timer);
          resolve(true);
        },
      };
      this.waiting.push(waiter);
    });
  }

  private startNext(): void {
    for (const waiter of [...this.waiting]) {
      if (!this.isFree(waiter.caller)) continue;
      this.waiting.splice(this.waiting.indexOf(waiter), 1);
      this.running.add(waiter.caller);
      waiter.begin();
    }
  }
}
