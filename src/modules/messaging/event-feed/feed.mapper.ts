import type { FeedEventResponse, FeedResponse } from './dto/feed.response.js';
import type { FeedEvent, FeedPage } from './feed.types.js';

export function toFeedResponse({ events, next }: FeedPage): FeedResponse {
  return { events: events.map(toFeedEventResponse), next: next === null ? null : String(next) };
}

function toFeedEventResponse({ number, id, type, at, userId, subject, data }: FeedEvent): FeedEventResponse {
  return { number: String(number), id, type, at: at.toISOString(), userId, subject, data };
}
