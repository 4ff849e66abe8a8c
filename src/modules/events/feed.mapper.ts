import type { FeedEventResponse, FeedResponse } from './dto/feed.response.js';
import type { FeedEvent } from './feed.types.js';

export function toFeedResponse(events: readonly FeedEvent[]): FeedResponse {
  const last = events.at(-1);
  return { events: events.map(toFeedEventResponse), next: last ? String(last.number) : null };
}

function toFeedEventResponse({ number, id, type, at, userId, subject, data }: FeedEvent): FeedEventResponse {
  return { number: String(number), id, type, at: at.toISOString(), userId, subject, data };
}
