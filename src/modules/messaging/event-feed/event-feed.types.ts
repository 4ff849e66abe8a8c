/** An event as the feed and the event webhook give it. It contains no e-mail address, except in what users have entered. */
export interface FeedEvent {
  /** Its place in the order of all events. */
  readonly number: number;
  readonly id: string;
  readonly type: string;
  /** Domain time. */
  readonly at: Date;
  /** Null for an event that is about no user. */
  readonly userId: string | null;
  readonly subject: { readonly type: string; readonly id: string };
  readonly data: object;
}

/** The cursor of the event webhook in the table `event_consumer`. */
export const EVENT_WEBHOOK_CONSUMER = 'event-webhook';

export interface FeedPage {
  readonly events: readonly FeedEvent[];
  /** The number up to which events were read; null without new events. */
  readonly next: number | null;
}
