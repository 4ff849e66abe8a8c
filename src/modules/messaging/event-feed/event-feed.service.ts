import { Injectable, Logger } from '@nestjs/common';
import { DomainError, throwError } from '../../../common/errors/domain-error.js';
import { UnitOfWork, type Tx } from '../../../database/unit-of-work.js';
import { CommittedEvents } from '../../../events/committed-events.service.js';
import { EventDispatcher } from '../../../events/event-dispatcher.service.js';
import { EventLogRepository, type EventRow } from '../../../events/event-log.repository.js';
import { KEPT_EVENT_DAYS } from '../../../events/old-events.job.js';
import type { AdminPrincipal } from '../../../http/auth/principal.js';
import { AuditService } from '../../core/audit/audit.service.js';
import type { FeedQuery } from './dto/feed.request.js';
import { toFeedEvent, type FeedPage } from './event-feed.mapper.js';
import { FEED_EVENTS, TYPE_OF_RECORDED } from './feed-types.constants.js';

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

/** Events that a consumer could not handle and has passed over. */
@Injectable()
export class ParkedEventsService {
  private readonly log = new Logger('ParkedEvents');

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly dispatcher: EventDispatcher,
    private readonly audit: AuditService,
  ) {}

  /**
   * Hands an event again to the consumers that have passed it over, or to one of them, and returns their names. Throws EVENT_NOT_FOUND if
   * no consumer has passed it over, and INVALID_STATE, without any change, if a consumer fails again.
   */
  repeatEvent(id: string, consumer: string | undefined, admin: AdminPrincipal): Promise<string[]> {
    return this.unitOfWork.runInTransaction(async (tx) => {
      const consumers = await this.handAgain(tx, id, consumer);
      if (consumers.length === 0) throwError('EVENT_NOT_FOUND');
      const subject = { type: 'event', id };
      await this.audit.record(tx, admin, { action: 'event.repeat', subject, after: { consumers } });
      return consumers;
    });
  }

  private async handAgain(tx: Tx, id: string, consumer: string | undefined): Promise<string[]> {
    try {
      return await this.dispatcher.repeat(tx, id, consumer);
    } catch (error) {
      if (error instanceof DomainError) throw error;
      this.log.error({ msg: 'a repeated event was not handled', eventId: id, err: error });
      const message = 'A consumer could not handle the event again. Read the log, and correct the cause.';
      return throwError(
        'INVALID_STATE',
        { status: 'parked', action: 'repeat', allowedFrom: [] },
        { message },
      );
    }
  }
}
