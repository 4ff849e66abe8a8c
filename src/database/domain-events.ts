import { Injectable } from '@nestjs/common';
import type { Tx } from './unit-of-work.js';

/** Something that has happened to a user's money or account. Names are `topic.event`. */
export interface DomainEvent {
  readonly name: `${string}.${string}`;
  readonly userId: string;
  /** Domain time. */
  readonly at: Date;
}

type Listener<F extends DomainEvent> = (tx: Tx, fact: F) => Promise<void>;

/**
 * How a lower module tells higher ones (transactions, notifications) what it did: they subscribe to a topic at
 * start-up and write their rows in the same database transaction, so that neither exists without the other.
 */
@Injectable()
export class DomainEvents {
  private readonly listeners = new Map<string, Listener<DomainEvent>[]>();

  subscribe<F extends DomainEvent>(topic: string, listener: Listener<F>): void {
    this.listeners.set(topic, [...(this.listeners.get(topic) ?? []), listener as Listener<DomainEvent>]);
  }

  async emit<F extends DomainEvent>(tx: Tx, fact: F): Promise<void> {
    const [topic] = fact.name.split('.') as [string];
    for (const listener of this.listeners.get(topic) ?? []) await listener(tx, fact);
  }
}
