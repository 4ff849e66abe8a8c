import { Injectable, Logger } from '@nestjs/common';
import { Clock } from '../../../common/clock.js';
import { DomainError } from '../../../common/errors/domain-error.js';
import { sqlState } from '../../../common/errors/sql-state.js';
import { UnitOfWork } from '../../../database/unit-of-work.js';
import { Job } from '../../../jobs/job.decorator.js';
import { Queue, type RecordResult } from '../../../jobs/queue.decorator.js';
import { failed, WEBHOOK_KINDS, type ProcessingResult } from './domain/webhook-event.js';
import { CredentialSealsService } from '../../core/seals/credential-seals.service.js';
import { WebhookEvent } from './entities/webhook-event.entity.js';
import {
  WEBHOOK_EVENT_TABLE,
  WebhookEventsRepository,
  type ClaimedWebhookEvent,
} from './webhook-events.repository.js';
import { CallbackProcessingService } from './callback-processing.service.js';

export const CALLBACKS = 'provider-callbacks';
const MAX_ATTEMPTS = 12;
/** The wait after the first failed attempt. It doubles after each attempt, up to 17 minutes before the last one. */
const FIRST_BACKOFF_MS = 1000;
const MAX_REASON_LENGTH = 500;

/**
 * Processes the stored callbacks and retries those that failed: in each process one callback at a time of each kind, so that
 * callbacks about withdrawals and yield do not wait for deposits while the chain's node is slow.
 */
@Injectable()
export class WebhookEventsJob {
  private readonly log = new Logger('WebhookEventsJob');

  constructor(
    private readonly processing: CallbackProcessingService,
    private readonly events: WebhookEventsRepository,
    private readonly clock: Clock,
    private readonly seals: CredentialSealsService,
    private readonly unitOfWork: UnitOfWork,
  ) {}

  @Queue<WebhookEvent, ClaimedWebhookEvent>({
    name: CALLBACKS,
    purpose: 'Processes callbacks of the providers that were stored, and retries those that failed',
    everySeconds: 5,
    entity: WebhookEvent,
    table: WEBHOOK_EVENT_TABLE,
    maxRunning: WEBHOOK_KINDS.length,
    maxRunningPerOwner: 1,
  })
  async process(event: ClaimedWebhookEvent): Promise<RecordResult<WebhookEvent>> {
    const result = await this.attemptEvent(event);
    const now = this.clock.now();
    if (!result) {
      const dueAt = new Date(now.getTime() + FIRST_BACKOFF_MS * 2 ** (event.attempts - 1));
      return (_tx, settle) => settle({ dueAt });
    }
    const { status, reason } = result;
    if (status !== 'processed')
      this.log.log({ msg: `a ${event.kind} callback is ${status}`, eventId: event.id });
    return async (tx, settle) => {
      const changes = { status, reason: reason?.slice(0, MAX_REASON_LENGTH) ?? null, settledAt: now };
      if (await settle(changes)) await this.events.deletePending(tx, event.id);
      this.events.markChanged(tx, event.id);
    };
  }

  @Job({
    name: 'swallowed-callbacks',
    purpose: 'Makes callbacks due again that somebody has marked as settled or put off in the database',
    everySeconds: 60,
    exclusive: true,
  })
  async restoreSwallowed(): Promise<void> {
    const ids = await this.unitOfWork.runInNewTransaction((tx) =>
      this.events.resetPending(tx, this.clock.now()),
    );
    if (ids.length > 0)
      this.log.error({ msg: 'callbacks were settled or put off by another than the service', ids });
  }

  /** Undefined if another attempt has to follow. */
  private async attemptEvent(event: ClaimedWebhookEvent): Promise<ProcessingResult | undefined> {
    // `isSealEnded`: the seal of an event does not end, unlike that of a credential.
    if (!this.seals.isAuthentic('webhook_event', { ...event, isSealEnded: false }))
      return failed('the service has not stored this callback as it is');
    // The last attempt has stored no result: its process died, perhaps because of the event itself.
    if (event.attempts > MAX_ATTEMPTS) return failed('the last attempt was interrupted');
    try {
      return await this.processing.processEvent(event);
    } catch (error) {
      // A refusal and a value out of a column's range are final. Other errors may be temporary.
      const isFinal = (error instanceof DomainError && error.status < 500) || isDataException(error);
      const isLast = isFinal || event.attempts >= MAX_ATTEMPTS;
      const cause = error instanceof DomainError ? { code: error.code } : { err: error };
      this.log.warn({
        msg: `a ${event.kind} callback failed`,
        eventId: event.id,
        attempts: event.attempts,
        ...cause,
      });
      return isLast ? failed(reasonOf(error)) : undefined;
    }
  }
}

/** Class 22 of SQLSTATE: data exceptions, such as a date or a number out of range. */
function isDataException(error: unknown): boolean {
  return sqlState(error)?.startsWith('22') ?? false;
}

function reasonOf(error: unknown): string {
  if (!(error instanceof DomainError)) return 'an unexpected error; see the log';
  return error.details ? `${error.code}: ${JSON.stringify(error.details)}` : error.code;
}
