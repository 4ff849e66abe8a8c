import { v5 } from 'uuid';

/** Characters of a UUID v7 that hold its time and its sequence number within a millisecond. */
const ORDERED_LENGTH = 26;

/**
 * The id of what a consumer writes about an event: the same one if the event is repeated. Such ids have the order of the ids of
 * their events.
 */
export function derivedId(eventId: string, consumer: string, index: number | string = 0): string {
  const hash = v5(`${consumer} ${index}`, eventId);
  return eventId.slice(0, ORDERED_LENGTH) + hash.slice(ORDERED_LENGTH);
}
