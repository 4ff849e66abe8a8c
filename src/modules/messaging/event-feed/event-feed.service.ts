import { Injectable } from '@nestjs/common';
import { throwError } from '../../../common/errors/domain-error.js';
import { CommittedEvents } from '../../../events/committed-events.service.js';
import { EventLogRepository, type EventRow } from '../../../events/event-log.repository.js';
import { KEPT_EVENT_DAYS } from '../../../events/old-events.job.js';
import type { FeedQuery } from './dto/feed.request.js';
import { toFeedEvent } from './event-feed.mapper.js';
import { FEED_EVENTS, TYPE_OF_RECORDED } from './feed-types.constants.js';
import type { FeedPage } from './event-feed.types.js';

const ALL_NAMES = [...TYPE_OF_RECORDED.keys()];

/** The committed events in the order of their numbers. */
@Injectable()
export class EventFeedService {
  constructor(
    private readonly committed: CommittedEvents,
    private readonly events: EventLogRepository,
  ) {}

  /**
   * The events with numbers above `after`, up to a number at or below which no event can be committed any more. Throws
   * INVALID_STATE if events above `after` were deleted because of their age.
   */
  async listEvents({ after, types, limit }: FeedQuery): Promise<FeedPage> {
    const { rows, next } = await this.readRows(Number(after ?? 0), types, limit);
    // Read after the events: if nothing above `after` is deleted now, the events were complete.
    const kept = await this.events.findKeptRange();
    if (after !== undefined && kept && Number(after) < kept.deletedUpTo) {
      const message = `Older events were deleted after ${KEPT_EVENT_DAYS} days. Read the lists anew, and go on with the oldest event.`;
      throwError(
        'INVALID_STATE',
        { status: 'deleted', action: 'read', allowedFrom: [], oldest: String(kept.oldest) },
        { message },
      );
    }
    return { events: rows.map(toFeedEvent).filter((event) => event !== undefined), next };
  }

  /** `next`: the number of the last event that was read or, by the search for `types`, passed over; null without new ones. */
  private async readRows(
    after: number,
    types: string | undefined,
    limit: number,
  ): Promise<{ rows: readonly EventRow[]; next: number | null }> {
    await this.committed.catchUp();
    const { reached: upTo } = this.committed;
    if (upTo <= after) return { rows: [], next: null };
    const rows = await this.events.findPageOfTypes({ after, upTo }, namesOf(types), limit);
    const hasSearchedAll = types !== undefined && rows.length < limit;
    const last = hasSearchedAll ? await this.events.getLastNumber(upTo) : rows.at(-1)?.number;
    return { rows, next: last !== undefined && last > after ? last : null };
  }
}

function namesOf(types: string | undefined): readonly string[] {
  return types?.split(',').flatMap((type) => FEED_EVENTS[type]?.recordedAs ?? [type]) ?? ALL_NAMES;
}
