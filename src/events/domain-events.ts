import { Injectable } from '@nestjs/common';
import type { Tx } from '../database/unit-of-work.js';

/** Any domain event, named `topic.event`. */
export interface PlatformEvent {
  readonly name: `${string}.${string}`;
  /** Domain time. */
  readonly at: Date;
}

/** A domain event about a user's money or account. */
export interface DomainEvent extends PlatformEvent {
  readonly userId: string;
}

type Listener<Event extends PlatformEvent> = (tx: Tx, event: Event) => Promise<void>;

/**
 * Calls the listeners of a domain event, one after the other, inside the transaction that emits it. Modules that report
 * (transactions, notifications, mail, live, subscriptions) subscribe to topics at start-up; their listeners write rows in the
 * same transaction.
 */
@Injectable()
export class DomainEvents {
  private readonly listeners = new Map<string, Listener<PlatformEvent>[]>();

  subscribe<Event extends PlatformEvent>(topic: string, listener: Listener<Event>): void {
    this.listeners.set(topic, [...(this.listeners.get(topic) ?? []), listener as Listener<PlatformEvent>]);
  }

  async emit<Event extends PlatformEvent>(tx: Tx, event: Event): Promise<void> {
    const [topic] = event.name.split('.') as [string]; // `withdrawal` of `withdrawal.requested`
    for (const listener of this.listeners.get(topic) ?? []) await listener(tx, event);
  }
}
