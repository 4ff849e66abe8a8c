import type { Logger } from '@nestjs/common';

/** Work done again and again in the background. What fails is logged, and tried again at the next turn. */
export class Repeated {
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly work: () => Promise<unknown>,
    private readonly log: Logger,
    /** What a failure means, for the log. */
    private readonly complaint: string,
  ) {}

  /** Keeps no process alive. */
  begin(everyMs: number): void {
    this.timer = setInterval(() => {
      this.running = this.work().catch((error: unknown) =>
        this.log.warn({ msg: this.complaint, err: error }),
      );
    }, everyMs).unref();
  }

  /** No further turn; waits for the one that runs. */
  async end(): Promise<void> {
    clearInterval(this.timer);
    await this.running;
  }
}
