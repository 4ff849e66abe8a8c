/**
 * Runs `work` at most once at a time in this process. All calls of `enqueue` during a run share one further run, which begins
 * after it.
 */
export class SerialQueue {
  private running: Promise<void> | undefined;
  private next: Promise<void> | undefined;

  constructor(private readonly work: () => Promise<void>) {}

  get isRunning(): boolean {
    return this.running !== undefined;
  }

  /** Resolves at the end of a run that begins after the call; rejects if that run fails. */
  enqueue(): Promise<void> {
    // `next` without `running`: the run has ended, and the waiting one starts some microtasks later.
    if (!this.running) return this.next ?? this.startRun();
    this.next ??= this.running
      .catch(() => undefined)
      .then(() => {
        this.next = undefined;
        return this.startRun();
      });
    return this.next;
  }

  /** Resolves when no run is under way or waiting, whether runs succeeded or failed. */
  async idle(): Promise<void> {
    for (let run = this.running ?? this.next; run; run = this.running ?? this.next)
      await run.catch(() => undefined);
  }

  private startRun(): Promise<void> {
    const run = this.work().finally(() => {
      this.running = undefined;
    });
    this.running = run;
    return run;
  }
}
