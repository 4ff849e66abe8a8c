import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Leases } from '../../database/leases.js';
import { Repeated } from '../../http/lifecycle/repeated.js';
import { realNow } from '../../kernel/clock.js';

const LOOK_EVERY_MS = 3_600_000;
const KEPT_DAYS = 90;

/** Minutes are kept for ninety days: three times what a report looks at. */
@Injectable()
export class OldMinutes implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly forgetting = new Repeated(
    () => this.leases.alone('sla-minutes', () => this.forget()),
    new Logger('OldMinutes'),
    'old minutes wait to be deleted',
  );

  constructor(
    private readonly dataSource: DataSource,
    private readonly leases: Leases,
  ) {}

  onApplicationBootstrap(): void {
    this.forgetting.begin(LOOK_EVERY_MS);
  }

  async onModuleDestroy(): Promise<void> {
    await this.forgetting.end();
  }

  async forget(now = realNow()): Promise<void> {
    await this.dataSource.query(
      'delete from sla_minute where minute < $1::timestamptz - make_interval(days => $2)',
      [now, KEPT_DAYS],
    );
  }
}
