import { Injectable, Optional } from '@nestjs/common';
import { afterCommit } from '../database/statements.js';
import type { Tx } from '../database/tx.js';
import { CommitNotices } from './commit-notices.js';
import { recordBeforeCommit } from './event-log.repository.js';
import { topicOf } from './event-topics.js';
import type { DomainEvent, PlatformEvent } from './events.types.js';

export type { DomainEvent, PlatformEvent };

type Listener<Event extends PlatformEvent> = (tx: Tx, event: Event) => Promise<void>;

/**
 * Records domain events in the table `domain_event`, in the transaction that emits them. Consumers read them after the commit
 * (`EventConsumer`). A listener is called inside the transaction, for rows that must be visible with the commit.
 */
@Injectable()
export class DomainEvents {
  private readonly listeners = new Map<string, Listener<PlatformEvent>[]>();

  constructor(@Optional() private readonly notices?: CommitNotices) {} // absent in fixtures and benchmarks

  subscribe<Event extends PlatformEvent>(topic: string, listener: Listener<Event>): void {
    this.listeners.set(topic, [...(this.listeners.get(topic) ?? []), listener as Listener<PlatformEvent>]);
  }

  async emit<Event extends PlatformEvent>(tx: Tx, event: Event): Promise<void> {
    for (const listener of this.listeners.get(topicOf(event.name)) ?? []) await listener(tx, event);
    recordBeforeCommit(tx, event);
    if (this.notices) afterCommit(tx, this.notices.sendSoon);
  }
}
