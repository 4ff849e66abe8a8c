import { Injectable, Logger, type BeforeApplicationShutdown } from '@nestjs/common';
import { Clock } from '../../../common/clock.js';
import { DomainEvents } from '../../../events/domain-events.js';
import { UnitOfWork } from '../../../database/unit-of-work.js';
import { ApiKeyUses, type ApiKeyUse } from '../../../http/auth/api-key-uses.js';
import { Job } from '../../../jobs/job.decorator.js';
import type { ApiKeyEvent } from './domain/api-key.js';
import { ApiKeysRepository } from './api-keys.repository.js';

const USES_PER_TRANSACTION = 500;

@Injectable()
export class ApiKeyUsesJob implements BeforeApplicationShutdown {
  private readonly log = new Logger('ApiKeyUses');

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly apiKeys: ApiKeysRepository,
    private readonly domainEvents: DomainEvents,
    private readonly clock: Clock,
    private readonly recordedUses: ApiKeyUses,
  ) {}

  @Job({
    name: 'api-key-uses',
    purpose: 'Stores when and from where API keys were used, and notifies users of uses from new networks',
    everySeconds: 1,
  })
  storeDueUses(): Promise<void> {
    const dropped = this.recordedUses.takeDropped();
    if (dropped > 0) this.log.error({ msg: 'uses of API keys from new networks were not recorded', dropped });
    return this.storeUses(this.recordedUses.dueUses);
  }

  /** Runs after the last run of the job. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.storeUses(this.recordedUses.allUses).catch((error: unknown) =>
      this.log.warn({ msg: 'the last uses of API keys could not be stored', err: error }),
    );
  }

  private async storeUses(uses: readonly ApiKeyUse[]): Promise<void> {
    for (let from = 0; from < uses.length; from += USES_PER_TRANSACTION) {
      const batch = uses.slice(from, from + USES_PER_TRANSACTION);
      await this.storeInTransaction(batch);
      this.recordedUses.removeStored(batch);
    }
  }

  private storeInTransaction(uses: readonly ApiKeyUse[]): Promise<void> {
    return this.unitOfWork.runInNewTransaction(async (tx) => {
      const at = this.clock.now();
      for (const { userId, name: keyName, prefix, address } of await this.apiKeys.storeUses(tx, uses)) {
        await this.domainEvents.emit<ApiKeyEvent>(tx, {
          name: 'api-key.used-from-new-network',
          userId,
          at,
          keyName,
          prefix,
          address,
        });
      }
    });
  }
}
