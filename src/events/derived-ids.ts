import { v5 } from 'uuid';

const TIME_LENGTH = 14; // of the text of a UUID v7: 48 bits of time, and the hyphens
const VERSION = '7';

/**
 * The id of what a consumer writes about an event: the same one if the event is repeated. It begins with the time of the
 * event's id, so that index pages fill in order.
 */
export function derivedId(eventId: string, consumer: string, index: number | string = 0): string {
  const hash = v5(`${consumer} ${index}`, eventId);
  return eventId.slice(0, TIME_LENGTH) + VERSION + hash.slice(TIME_LENGTH + 1);
}
