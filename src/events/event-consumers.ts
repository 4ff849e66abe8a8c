import { Injectable } from '@nestjs/common';
import type { Tx } from '../database/tx.js';
import type { PlatformEvent } from './events.types.js';

/** A committed event. */
export interface RecordedEvent<Event extends PlatformEvent = PlatformEvent> {
  /** Its place in the order of all events. */
  readonly number: number;
  readonly id: string;
  readonly event: Event;
  /** Its transaction has changed the balance of its user. */
  readonly changesBalance: boolean;
}

/** A reader of committed events, which writes what follows from them. */
export interface EventConsumer {
  /** Of its cursor in the table `event_consumer`. */
  readonly name: string;
  /** The topics that it reads: `withdrawal` of `withdrawal.requested`; `balance` is all events that change a balance. */
  readonly topics: readonly string[];
  /**
   * Writes what follows from the events, which are in the order of their numbers. The transaction also moves the cursor. An
   * event can come a second time only after an operator has repeated it; ids that derive from that of the event keep that safe.
   */
  consume(tx: Tx, events: readonly RecordedEvent[]): Promise<void>;
}

/** The consumers of this process. Modules register theirs at start-up. */
@Injectable()
export class EventConsumers {
  private readonly consumers = new Map<string, EventConsumer>();
  private readonly otherCursors: string[] = [];

  register(consumer: EventConsumer): void {
    if (this.consumers.has(consumer.name)) throw new Error(`Two consumers are called ${consumer.name}.`);
    this.consumers.set(consumer.name, consumer);
  }

  /** Registers a cursor that its owner moves without the dispatcher. */
  registerCursor(name: string): void {
    this.otherCursors.push(name);
  }

  get all(): readonly EventConsumer[] {
    return [...this.consumers.values()];
  }

  /** The names of all cursors that this process expects to move. */
  get cursorNames(): string[] {
    return [...this.consumers.keys(), ...this.otherCursors];
  }
}
