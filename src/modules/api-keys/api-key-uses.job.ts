import { Injectable, Logger, type BeforeApplicationShutdown } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import { DomainEvents } from '../../events/domain-events.js';
import { UnitOfWork } from '../../database/unit-of-work.js';
import { ApiKeyUses, type ApiKeyUse } from '../../http/auth/api-key-uses.js';
import { Job } from '../../jobs/job.decorator.js';
import type { ApiKeyEvent } from './api-key.events.js';
import { ApiKeyUsesRepository } from './api-key-uses.repository.js';

/** A process stores the first use of a key from a network within a second, and later uses at most once per interval. */
const WRITE_INTERVAL_MS = 30_000;
const USES_PER_TRANSACTION = 500;
/** The size at which `writtenAtMs` is emptied: the next use of each key and network then counts as the first one. */
const MAX_REMEMBERED_WRITES = 50_000;

@Injectable()
export class ApiKeyUsesJob implements BeforeApplicationShutdown {
  private readonly log = new Logger('ApiKeyUses');
  /** When this process last stored a use of a key from a network. The keys of the map are those of `ApiKeyUses.unstored`. */
  private readonly writtenAtMs = new Map<string, number>();

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly uses: ApiKeyUsesRepository,
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
    const dueIfWrittenBefore = performance.now() - WRITE_INTERVAL_MS;
    return this.storeUses(
      this.recordedUses.unstored.entries.filter(
        ([keyAndNetwork]) => (this.writtenAtMs.get(keyAndNetwork) ?? -Infinity) <= dueIfWrittenBefore,
      ),
    );
  }

  /** Runs after the last run of the job. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.storeUses(this.recordedUses.unstored.entries).catch((error: unknown) =>
      this.log.warn({ msg: 'the last uses of API keys could not be stored', err: error }),
    );
  }

  private async storeUses(uses: [keyAndNetwork: string, use: ApiKeyUse][]): Promise<void> {
    for (let from = 0; from < uses.length; from += USES_PER_TRANSACTION) {
      const batch = uses.slice(from, from + USES_PER_TRANSACTION);
      await this.storeInTransaction(batch.map(([, use]) => use));
      if (this.writtenAtMs.size >= MAX_REMEMBERED_WRITES) this.writtenAtMs.clear();
      for (const [keyAndNetwork] of batch) this.writtenAtMs.set(keyAndNetwork, performance.now());
      this.recordedUses.unstored.removeStored(batch);
    }
  }

  private storeInTransaction(uses: ApiKeyUse[]): Promise<void> {
    return this.unitOfWork.runInNewTransaction(async (tx) => {
      const at = this.clock.now();
      for (const { userId, name: keyName, prefix, address } of await this.uses.storeUses(tx, uses)) {
        const event = { userId, at, keyName, prefix, address };
        await this.domainEvents.emit<ApiKeyEvent>(tx, { name: 'api-key.used-from-new-network', ...event });
      }
    });
  }
}
