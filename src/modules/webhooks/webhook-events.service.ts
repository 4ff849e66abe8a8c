import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../database/unit-of-work.js';
import type { AdminPrincipal } from '../../http/auth/principal.js';
import { Clock } from '../../common/clock.js';
import { fail } from '../../common/errors/domain-error.js';
import { AuditService } from '../audit/audit.service.js';
import { WEBHOOK_EVENT_STATES, type WebhookEventStatus } from './webhook-event.js';
import { WebhookEventsQueries, type StoredEventWithBody } from './webhook-events.queries.js';
import { WebhookInbox } from './webhook-inbox.js';

/** What admins do about callbacks that were given up. */
@Injectable()
export class WebhookEventsService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
    private readonly queries: WebhookEventsQueries,
    private readonly inbox: WebhookInbox,
    private readonly audit: AuditService,
  ) {}

  /**
   * Has it acted upon once more, as if it had just come; doing what is done already changes nothing. Throws
   * WEBHOOK_EVENT_NOT_FOUND, INVALID_STATE unless it failed or was ignored.
   */
  async replay(id: string, admin: AdminPrincipal): Promise<StoredEventWithBody> {
    const event = await this.unitOfWork.runInTransaction(async (tx) => {
      const [found] = await tx.query<
        { status: WebhookEventStatus; reason: string | null; attempts: number }[]
      >('select status, reason, attempts from webhook_event where id = $1 for update', [id]);
      if (!found) return fail('WEBHOOK_EVENT_NOT_FOUND');
      const status = WEBHOOK_EVENT_STATES.next(found.status, 'replay');
      await tx.query(
        `update webhook_event set status = $2, reason = null, settled_at = null, attempts = 0, due_at = $3
          where id = $1`,
        [id, status, this.clock.now()],
      );
      await this.audit.record(tx, admin, {
        action: 'webhook-event.replay',
        subject: { type: 'webhook-event', id },
        before: { ...found },
        after: { status, reason: null, attempts: 0 },
      });
      return this.queries.get(id, tx);
    });
    setImmediate(() => this.inbox.kick());
    return event;
  }
}
