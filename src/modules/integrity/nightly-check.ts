import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { Leases } from '../../database/leases.js';
import { Repeated } from '../../http/lifecycle/repeated.js';
import { Clock } from '../../kernel/clock.js';
import type { Day } from '../../kernel/days.js';
import { Turns } from '../../kernel/turns.js';
import { IntegrityRuns } from './integrity-runs.js';
import { Integrity } from './integrity.service.js';

const EVERY_MS = 60_000;

/** Checks all money once a day, on one replica: in the background of the first start of a UTC day, or after its midnight. */
@Injectable()
export class NightlyCheck implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly turns = new Turns(() => this.checkToday());
  private readonly nights = new Repeated(
    () => this.tonight(),
    new Logger('Integrity'),
    'the nightly check did not come to its end, another look tries again',
  );
  /** The last day that is known to be checked. */
  private checked: Day | undefined;

  constructor(
    private readonly integrity: Integrity,
    private readonly runs: IntegrityRuns,
    private readonly leases: Leases,
    private readonly clock: Clock,
  ) {}

  onApplicationBootstrap(): void {
    this.nights.begin(EVERY_MS, { atOnce: true });
  }

  async onModuleDestroy(): Promise<void> {
    await this.nights.end();
  }

  /** Does nothing when the day was checked already, or another replica is at it. Waits for a check that runs here. */
  tonight(): Promise<void> {
    return this.turns.take();
  }

  private async checkToday(): Promise<void> {
    const today = this.clock.today();
    if (this.checked === today) return;
    await this.leases.alone('nightly-check', async () => {
      if (!(await this.runs.hasNight(today))) {
        const { runId } = await this.integrity.check();
        await this.runs.nameNight(runId, today);
      }
      this.checked = today;
    });
  }
}
