import { Injectable, Logger, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { Repeated } from '../../http/lifecycle/repeated.js';
import { Navs } from './navs.service.js';

const EVERY_MS = 15_000;

/** Rolls soon after midnight, so that the day's first request need not. Nothing depends on it. */
@Injectable()
export class NavTimer implements OnModuleInit, OnModuleDestroy {
  private readonly rolling = new Repeated(
    () => this.navs.today(),
    new Logger('Navs'),
    'the day could not be rolled, the next look tries again',
  );

  constructor(private readonly navs: Navs) {}

  onModuleInit(): void {
    this.rolling.begin(EVERY_MS);
  }

  async onModuleDestroy(): Promise<void> {
    await this.rolling.end();
  }
}
