import { FeedEventResponse, type FeedResponse } from './dto/feed.response.js';
import type { FeedPage } from './event-feed.types.js';
import { toResponse } from '../../../http/response/to-response.js';

export function toFeedResponse({ events, next }: FeedPage): FeedResponse {
  return {
    events: events.map((event) => toResponse(FeedEventResponse, event, { number: String(event.number) })),
    next: next === null ? null : String(next),
  };
}
