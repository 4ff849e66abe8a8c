import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { Repeated } from '../../http/lifecycle/repeated.js';
import { Screening } from './screening.service.js';

const EVERY_MS = 1000;

/** Screens new users and the addresses of new withdrawals in the background, on every replica. */
@Injectable()
export class ScreeningWorker implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly rounds = new Repeated(
    () => this.askDue(),
    new Logger('ScreeningWorker'),
    'the questions for the screening provider could not be read',
  );

  constructor(private readonly screening: Screening) {}

  onApplicationBootstrap(): void {
    if (this.screening.isConfigured) this.rounds.begin(EVERY_MS);
  }

  async onModuleDestroy(): Promise<void> {
    await this.rounds.end();
  }

  private async askDue(): Promise<void> {
    while (!this.rounds.isEnding && (await this.screening.askDue()));
  }
}
