import type { Logger } from '@nestjs/common';

/**
 * Work done again and again in the background, one turn at a time. What fails is logged, and tried again at the next
 * turn.
 */
export class Repeated {
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> | undefined;
  private ended = false;

  constructor(
    private readonly work: () => Promise<unknown>,
    private readonly log: Logger,
    /** What a failure means, for the log. */
    private readonly complaint: string,
  ) {}

  /** Keeps no process alive. The first turn is after `everyMs`, or at once. */
  begin(everyMs: number, { atOnce = false } = {}): void {
    const next = () => {
      this.running ??= this.turn().finally(() => {
        this.running = undefined;
      });
    };
    this.timer = setInterval(next, everyMs).unref();
    if (atOnce) next();
  }

  /** Asked by long work, which may stop in the middle of a turn. */
  get isEnding(): boolean {
    return this.ended;
  }

  /** No further turn; waits for the one that runs. */
  async end(): Promise<void> {
    this.ended = true;
    clearInterval(this.timer);
    await this.running;
  }

  private async turn(): Promise<void> {
    try {
      await this.work();
    } catch (error) {
      this.log.warn({ msg: this.complaint, err: error });
    }
  }
}
