import { Injectable, Logger } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import { DomainError } from '../../common/errors/domain-error.js';
import { sqlState } from '../../common/errors/sql-state.js';
import { DatabaseClock } from '../../database/database-clock.js';
import { Job } from '../../jobs/job.decorator.js';
import { Jobs } from '../../jobs/jobs.service.js';
import { failed, WEBHOOK_KINDS, type ProcessingResult, type WebhookKind } from './domain/webhook-event.js';
import { WebhookEventsRepository, type ClaimedWebhookEvent } from './webhook-events.repository.js';
import { WebhookProcessingService } from './webhook-processing.service.js';

const EVERY_SECONDS = 5;
/** An event whose process died is claimed again after this time. */
const LEASE_MS = 60_000;
const MAX_ATTEMPTS = 12;
/** The wait after the first failed attempt. It doubles after each attempt, up to 17 minutes before the last one. */
const FIRST_BACKOFF_MS = 1000;
const MAX_REASON_LENGTH = 500;

/**
 * Processes the stored callbacks and retries those that failed. Each kind has its own job, which processes one callback at a
 * time in each process, so that callbacks about withdrawals and yield do not wait for deposits while the chain's node is slow.
 */
@Injectable()
export class WebhookEventsJob {
  private readonly log = new Logger('WebhookEventsJob');

  constructor(
    private readonly events: WebhookEventsRepository,
    private readonly processing: WebhookProcessingService,
    private readonly clock: Clock,
    private readonly databaseClock: DatabaseClock,
    private readonly jobs: Jobs,
  ) {}

  /** Starts the jobs soon, without waiting for them. */
  startProcessing(): void {
    for (const kind of WEBHOOK_KINDS) this.jobs.get(`${kind}-callbacks`).wake();
  }

  @Job({
    name: 'deposit-callbacks',
    purpose: 'Processes callbacks about deposits that were stored, and retries those that failed',
    everySeconds: EVERY_SECONDS,
  })
  processDeposits(stopping: AbortSignal): Promise<void> {
    return this.processKind('deposit', stopping);
  }

  @Job({
    name: 'withdrawal-callbacks',
    purpose: 'Processes callbacks about withdrawals that were stored, and retries those that failed',
    everySeconds: EVERY_SECONDS,
  })
  processWithdrawals(stopping: AbortSignal): Promise<void> {
    return this.processKind('withdrawal', stopping);
  }

  @Job({
    name: 'yield-callbacks',
    purpose: 'Processes yield reports that were stored, and retries those that failed',
    everySeconds: EVERY_SECONDS,
  })
  processYield(stopping: AbortSignal): Promise<void> {
    return this.processKind('yield', stopping);
  }

  private async processKind(kind: WebhookKind, stopping: AbortSignal): Promise<void> {
    for (let event = await this.claimEvent(kind); event; event = await this.claimEvent(kind)) {
      await this.storeResult(event, await this.attemptEvent(event));
      if (stopping.aborted) return;
    }
  }

  private async claimEvent(kind: WebhookKind): Promise<ClaimedWebhookEvent | undefined> {
    if (!this.databaseClock.isRight) return undefined; // `now` would give a wrong lease
    const now = this.clock.now();
    return this.events.claimDueEvent(kind, now, new Date(now.getTime() + LEASE_MS));
  }

  /** Undefined if another attempt has to follow. */
  private async attemptEvent(event: ClaimedWebhookEvent): Promise<ProcessingResult | undefined> {
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

  private async storeResult(event: ClaimedWebhookEvent, result: ProcessingResult | undefined): Promise<void> {
    const now = this.clock.now();
    if (!result) {
      const waitMs = FIRST_BACKOFF_MS * 2 ** (event.attempts - 1);
      return this.events.postponeEvent(event, new Date(now.getTime() + waitMs));
    }
    const { status, reason } = result;
    if (status !== 'processed')
      this.log.log({ msg: `a ${event.kind} callback is ${status}`, eventId: event.id });
    return this.events.settleEvent(
      event,
      { status, reason: reason?.slice(0, MAX_REASON_LENGTH) ?? null },
      now,
    );
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
