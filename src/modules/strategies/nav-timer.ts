import { Injectable, Logger, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { Navs } from './navs.service.js';

const EVERY_MS = 15_000;

/** Rolls soon after midnight, so that the day's first request need not. Nothing depends on it. */
@Injectable()
export class NavTimer implements OnModuleInit, OnModuleDestroy {
  private readonly log = new Logger('Navs');
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> = Promise.resolve();

  constructor(private readonly navs: Navs) {}

  onModuleInit(): void {
    this.timer = setInterval(() => {
      this.running = this.navs.today().then(
        () => undefined,
        (error: unknown) =>
          this.log.warn({ msg: 'the day could not be rolled, the next look tries again', err: error }),
      );
    }, EVERY_MS).unref();
  }

  async onModuleDestroy(): Promise<void> {
    clearInterval(this.timer);
    await this.running;
  }
}
