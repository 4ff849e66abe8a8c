import { Injectable, Logger } from '@nestjs/common';
import { Clock } from '../../../common/clock.js';
import { DomainError } from '../../../common/errors/domain-error.js';
import { sqlState } from '../../../common/errors/sql-state.js';
import { isId } from '../../../common/ids.js';
import { storableText } from '../../../common/storable-text.js';
import { UnitOfWork } from '../../../database/unit-of-work.js';
import { parseJson, readMessage } from '../../../http/request/message-validation.js';
import { Job } from '../../../jobs/job.decorator.js';
import { Queue, type RecordResult } from '../../../jobs/queue.decorator.js';
import { CredentialSealsService } from '../../core/seals/credential-seals.service.js';
import { YieldReportMessage } from '../../investing/strategies/domain/yield-report.js';
import { YieldReportsService } from '../../investing/strategies/yield-reports.service.js';
import { DepositsService } from '../deposits/deposits.service.js';
import { WithdrawalMessage, fieldsOf, parseMessage, readDeposit } from '../deposits/domain/crypto2b.js';
import { WithdrawalPaymentsService } from '../withdrawals/withdrawal-payments.service.js';
import { WithdrawalsService } from '../withdrawals/withdrawals.service.js';
import { failed, ignored, PROCESSED, WEBHOOK_KINDS, type ProcessingResult } from './domain/webhook-event.js';
import { WebhookEvent } from './entities/webhook-event.entity.js';
import {
  WEBHOOK_EVENT_TABLE,
  WebhookEventsRepository,
  type ClaimedWebhookEvent,
} from './webhook-events.repository.js';

const FAILURE_STATUSES = new Set(['Failed', 'Rejected']);
const MAX_REASON_LENGTH = 500;

/** Applies the stored callbacks of the providers by their kind. Processing a callback twice has the same effect as once. */
@Injectable()
export class CallbackProcessingService {
  constructor(
    private readonly deposits: DepositsService,
    private readonly withdrawals: WithdrawalsService,
    private readonly payments: WithdrawalPaymentsService,
    private readonly yieldReports: YieldReportsService,
  ) {}

  processEvent(event: ClaimedWebhookEvent): Promise<ProcessingResult> {
    switch (event.kind) {
      case 'deposit':
        return this.processDeposit(event);
      case 'withdrawal':
        return this.processWithdrawal(event);
      case 'yield':
        return this.processYield(event);
    }
  }

  private async processDeposit({ body }: ClaimedWebhookEvent): Promise<ProcessingResult> {
    const deposit = readDeposit(fieldsOf(parseMessage(body)).data);
    if (!deposit) return failed('the body is not a deposit');
    const result = await this.deposits.recordProviderDeposit(deposit);
    return result.recorded ? PROCESSED : ignored(result.reason);
  }

  /**
   * A reported failure changes the status of a withdrawal from `processing` to `failed`. A reported success does not complete it, because
   * operators do that by hand. If the reported transaction is a late payment, an alert is raised.
   */
  private async processWithdrawal({ body }: ClaimedWebhookEvent): Promise<ProcessingResult> {
    const message = readMessage(WithdrawalMessage, fieldsOf(parseMessage(body)).data);
    const id = message?.withdrawalId;
    if (!message || !id) return failed('the body is not a withdrawal');
    const { status, error } = message;
    const hash = message.transaction?.hash ?? undefined;
    if (status === 'Success' && hash !== undefined) {
      const result = await this.payments.checkLatePayment(id, hash, 'provider');
      if (result === 'paid') return PROCESSED;
    }
    if (!FAILURE_STATUSES.has(status)) return ignored(`the status ${status} changes nothing`);
    if (!isId(id)) return ignored('the id of the withdrawal is not a UUID');
    const reason = storableText(error, MAX_REASON_LENGTH) ?? 'The provider gave no reason.';
    const result = await this.withdrawals.recordProviderFailure(id, reason);
    return result === 'failed' ? PROCESSED : ignored(`the withdrawal is ${result}`);
  }

  private async processYield({ body, eventKey }: ClaimedWebhookEvent): Promise<ProcessingResult> {
    // `parseJson` reads the fields: `parseMessage` turns numbers into texts, so a number instead of a text would not be refused.
    // `parseMessage` only checks the body: it refuses a field that occurs twice, which `parseJson` accepts.
    const json = parseMessage(body) === undefined ? undefined : parseJson(body);
    if (fieldsOf(json).type !== 'yield.reported') return ignored('the type is not known');
    const message = readMessage(YieldReportMessage, json);
    if (!message) return failed('the body is not a yield report');
    await this.yieldReports.record({ ...message.data, eventId: eventKey });
    return PROCESSED;
  }
}

export const CALLBACKS = 'provider-callbacks';
const MAX_ATTEMPTS = 12;
/** The wait after the first failed attempt. It doubles after each attempt, up to 17 minutes before the last one. */
const FIRST_BACKOFF_MS = 1000;

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
