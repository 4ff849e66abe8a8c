import { Injectable } from '@nestjs/common';
import type { Tx } from '../../../database/unit-of-work.js';
import { Consumer } from '../../../events/consumer.decorator.js';
import type { RecordedEvent } from '../../../events/event-consumers.js';
import type { DomainEvent } from '../../../events/events.types.js';
import { UserAdminRepository } from './user-admin.repository.js';

/** Recomputes the lifetime figures of users whose balance has changed. */
@Injectable()
export class UserFiguresConsumer {
  constructor(private readonly repository: UserAdminRepository) {}

  @Consumer({ name: 'user-figures', topics: ['balance'], isSummary: true })
  consume(tx: Tx, events: readonly RecordedEvent[]): Promise<void> {
    const userIds = events.map(({ event }) => (event as DomainEvent).userId);
    this.repository.recomputeFigures(tx, [...new Set(userIds)]);
    return Promise.resolve();
  }
}
