import { Injectable } from '@nestjs/common';
import type { Tx } from './unit-of-work.js';

/** An event about a user's money or account, named `topic.event`. */
export interface DomainEvent {
  readonly name: `${string}.${string}`;
  readonly userId: string;
  /** Domain time. */
  readonly at: Date;
}

type Listener<F extends DomainEvent> = (tx: Tx, event: F) => Promise<void>;

/**
 * Publishes domain events synchronously inside a transaction. Higher modules (transactions, notifications, webhooks)
 * subscribe to a topic at start-up and write their rows in the same transaction.
 */
@Injectable()
export class DomainEvents {
  private readonly listeners = new Map<string, Listener<DomainEvent>[]>();

  subscribe<F extends DomainEvent>(topic: string, listener: Listener<F>): void {
    this.listeners.set(topic, [...(this.listeners.get(topic) ?? []), listener as Listener<DomainEvent>]);
  }

  async emit<F extends DomainEvent>(tx: Tx, event: F): Promise<void> {
    const [topic] = event.name.split('.') as [string];
    for (const listener of this.listeners.get(topic) ?? []) await listener(tx, event);
  }
}
