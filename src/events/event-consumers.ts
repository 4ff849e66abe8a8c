import { Injectable } from '@nestjs/common';
import type { Tx } from '../database/unit-of-work.js';
import type { PlatformEvent } from './domain-events.js';

/** A committed event. */
export interface RecordedEvent<E extends PlatformEvent = PlatformEvent> {
  readonly number: number;
  readonly id: string;
  readonly event: E;
}

/** Follows committed events, in their order. */
export interface EventConsumer {
  /** The name of its cursor. */
  readonly name: string;
  /** `withdrawal` of `withdrawal.requested`. */
  readonly topics: readonly string[];
  /** Processes a batch of events in one transaction with the cursor. */
  consume(tx: Tx, events: readonly RecordedEvent[]): Promise<void>;
}

/** The consumers of this process. */
@Injectable()
export class EventConsumers {
  private readonly consumers: EventConsumer[] = [];

  register(consumer: EventConsumer): void {
    this.consumers.push(consumer);
  }

  get all(): readonly EventConsumer[] {
    return this.consumers;
  }
}
