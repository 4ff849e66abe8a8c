import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { Tx } from '../../database/unit-of-work.js';
import { EventConsumers, type EventConsumer, type RecordedEvent } from '../../events/event-consumers.js';
import type { DomainEvent } from '../../events/events.types.js';
import { UserFiguresRepository } from './user-figures.repository.js';

/** Recomputes the lifetime figures of users whose balance has changed. */
@Injectable()
export class UserFiguresConsumer implements EventConsumer, OnModuleInit {
  readonly name = 'user-figures';
  readonly topics = ['balance'];

  constructor(
    private readonly consumers: EventConsumers,
    private readonly figures: UserFiguresRepository,
  ) {}

  onModuleInit(): void {
    this.consumers.register(this);
  }

  consume(tx: Tx, events: readonly RecordedEvent[]): Promise<void> {
    const userIds = events.map(({ event }) => (event as DomainEvent).userId);
    this.figures.recomputeFigures(tx, [...new Set(userIds)]);
    return Promise.resolve();
  }
}
