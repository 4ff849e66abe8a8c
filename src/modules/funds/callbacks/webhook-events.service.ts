import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock.js';
import { throwError } from '../../../common/errors/domain-error.js';
import { UnitOfWork } from '../../../database/unit-of-work.js';
import type { AdminPrincipal } from '../../../http/auth/principal.js';
import type { Rows } from '../../../http/request/pagination.js';
import { Jobs } from '../../../jobs/jobs.service.js';
import { AuditService } from '../../core/audit/audit.service.js';
import { WEBHOOK_EVENT_STATES } from './domain/webhook-event.js';
import type { WebhookEventsQuery } from './dto/webhook-events.request.js';
import type { WebhookEvent } from './entities/webhook-event.entity.js';
import { CALLBACKS } from './webhook-events.job.js';
import { WebhookEventsRepository, type WebhookEventSummary } from './webhook-events.repository.js';

/** Lists the providers' callbacks for admins and replays those that failed or were ignored. */
@Injectable()
export class WebhookEventsService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
    private readonly events: WebhookEventsRepository,
    private readonly jobs: Jobs,
    private readonly audit: AuditService,
  ) {}

  listEvents(query: WebhookEventsQuery): Promise<Rows<WebhookEventSummary>> {
    return this.events.findEventsPage(query);
  }

  /** When the last callback of a provider arrived, and how many that arrived after `receivedAfter` have failed. */
  getFigures(provider: string, receivedAfter: Date): Promise<{ last: Date | null; failed: number }> {
    return this.events.getFigures(provider, receivedAfter);
  }

  /** Throws WEBHOOK_EVENT_NOT_FOUND. */
  async getEvent(id: string): Promise<WebhookEvent> {
    return (await this.events.findEvent(id)) ?? throwError('WEBHOOK_EVENT_NOT_FOUND');
  }

  /**
   * Resets an event that failed or was ignored, so that the job processes it again. Throws WEBHOOK_EVENT_NOT_FOUND,
   * INVALID_STATE.
   */
  async replayEvent(id: string, admin: AdminPrincipal): Promise<WebhookEvent> {
    const replayed = await this.unitOfWork.runInTransaction(async (tx) => {
      const event = (await this.events.lockEvent(tx, id)) ?? throwError('WEBHOOK_EVENT_NOT_FOUND');
      const changes = {
        status: WEBHOOK_EVENT_STATES.next(event.status, 'replay'),
        reason: null,
        settledAt: null,
        attempts: 0,
        dueAt: this.clock.now(),
      };
      await this.events.updateEvent(tx, id, changes);
      await this.audit.record(tx, admin, {
        action: 'webhook-event.replay',
        subject: { type: 'webhook-event', id },
        before: { status: event.status, reason: event.reason, attempts: event.attempts },
        after: { status: changes.status, reason: null, attempts: 0 },
      });
      return { ...event, ...changes };
    });
    setImmediate(() => this.jobs.get(CALLBACKS).wake()); // after the response
    return replayed;
  }
}
