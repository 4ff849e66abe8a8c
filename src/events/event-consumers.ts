import { Injectable, Optional, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { declaredMethods } from '../jobs/declared-jobs.js';
import type { Tx } from '../database/tx.js';
import { consumerOptionsOf } from './consumer.decorator.js';
import { topicOf } from './event-topics.js';
import type { EventConsumer, RecordedEvent } from './events.types.js';

export type { EventConsumer, RecordedEvent };

/** The consumers of this process: all methods with `@Consumer`. */
@Injectable()
export class EventConsumers implements OnModuleInit {
  private readonly consumers = new Map<string, EventConsumer>();
  private readonly otherCursors: string[] = [];

  constructor(@Optional() private readonly discovery?: DiscoveryService) {} // absent in fixtures

  onModuleInit(): void {
    if (!this.discovery) return;
    for (const { options, method } of declaredMethods(this.discovery, consumerOptionsOf))
      this.register({ ...options, consume: method });
  }

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

/**
 * Hands the consumer those events of the page that have its topics and a number above `cursor`. Without a cursor, which another process
 * has locked then, it gets none.
 */
export async function handPage(
  tx: Tx,
  consumer: EventConsumer,
  page: readonly RecordedEvent[],
  cursor = Infinity,
): Promise<void> {
  const isRead = ({ event, changesBalance }: RecordedEvent) =>
    consumer.topics.includes(topicOf(event.name)) || (changesBalance && consumer.topics.includes('balance'));
  const events = page.filter((recorded) => recorded.number > cursor && isRead(recorded));
  if (events.length > 0) await consumer.consume(tx, events);
}
