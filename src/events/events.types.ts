import type { Tx } from '../database/tx.js';

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

/** A committed event. */
export interface RecordedEvent<Event extends PlatformEvent = PlatformEvent> {
  /** Its place in the order of all events. */
  readonly number: number;
  readonly id: string;
  readonly event: Event;
  /** The record that the event is about. */
  readonly subject: { readonly type: string | null; readonly id: string | null };
  /** It is the last event of its user in a transaction that has changed the user's balance. */
  readonly changesBalance: boolean;
}

/** A reader of committed events, which writes what follows from them. */
export interface EventConsumer {
  /** The name of its cursor in the table `event_consumer`. */
  readonly name: string;
  /** The topics that it reads: `withdrawal` of `withdrawal.requested`; `balance` is all events that change a balance. */
  readonly topics: readonly string[];
  /**
   * It writes summaries, which may be a second behind, and which cost less for many events together. It gets events with name, time,
   * user and subject, but without their data: to decode the data of thousands of events would block the process. It emits no event,
   * because readers of events do not wait for the end of its transaction.
   */
  readonly isSummary?: true;
  /**
   * Writes what follows from the events, which are in the order of their numbers. The transaction also moves the cursor. An
   * event can come a second time only after an operator has repeated it; ids that derive from that of the event keep that safe.
   */
  consume(tx: Tx, events: readonly RecordedEvent[]): Promise<void>;
}
