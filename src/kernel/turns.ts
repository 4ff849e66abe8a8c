/**
 * A job that runs once at a time in this process. Whoever asks while it runs gets the next run, which begins
 * after the asking; all who wait for it share it.
 */
export class Turns {
  private running: Promise<void> | undefined;
  private next: Promise<void> | undefined;

  constructor(private readonly job: () => Promise<void>) {}

  take(): Promise<void> {
    if (!this.running) return this.run();
    this.next ??= this.settled().then(() => {
      this.next = undefined;
      return this.run();
    });
    return this.next;
  }

  /** Resolves when nothing runs, whatever came of it. */
  async settled(): Promise<void> {
    while (this.running) await this.running.catch(() => undefined);
  }

  /** Resolves when nothing runs and nobody waits for a run. */
  async idle(): Promise<void> {
    while (this.running ?? this.next) await (this.running ?? this.next)?.catch(() => undefined);
  }

  private run(): Promise<void> {
    const run = this.job().finally(() => {
      this.running = undefined;
    });
    this.running = run;
    return run;
  }
}
