import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Leases } from '../../database/leases.js';
import { Repeated } from '../../http/lifecycle/repeated.js';
import { Clock } from '../../kernel/clock.js';

const EVERY_MS = 600_000;
const KEPT_MS = 30 * 24 * 3_600_000;
const ROWS_AT_ONCE = 5000; // deleting never holds up anybody for long

/** Forgets deliveries after thirty days, by whichever replica comes first. None is sent that long. */
@Injectable()
export class OldDeliveries implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly cleaning = new Repeated(
    () => this.forget(),
    new Logger('OldDeliveries'),
    'old deliveries wait to be deleted',
  );

  constructor(
    private readonly dataSource: DataSource,
    private readonly leases: Leases,
    private readonly clock: Clock,
  ) {}

  onApplicationBootstrap(): void {
    this.cleaning.begin(EVERY_MS);
  }

  async onModuleDestroy(): Promise<void> {
    await this.cleaning.end();
  }

  async forget(): Promise<void> {
    await this.leases.alone('old-webhook-deliveries', async () => {
      const before = new Date(this.clock.now().getTime() - KEPT_MS);
      let deleted: number;
      do {
        [, deleted] = await this.dataSource.query<[unknown, number]>(
          `delete from webhook_delivery where id in
             (select id from webhook_delivery where created_at < $1 order by created_at limit ${ROWS_AT_ONCE})`,
          [before],
        );
      } while (deleted === ROWS_AT_ONCE);
    });
  }
}
