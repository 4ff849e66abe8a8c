import { Injectable } from '@nestjs/common';
import { Webhook } from 'standardwebhooks';
import { Clock, realNow } from '../../../common/clock.js';
import { isSameText } from '../../../common/constant-time.js';
import { throwError } from '../../../common/errors/domain-error.js';
import { AppConfig } from '../../../config/app-config.js';
import { DatabaseClock } from '../../../database/database-clock.js';
import { UnitOfWork } from '../../../database/unit-of-work.js';
import type { AdminPrincipal } from '../../../http/auth/principal.js';
import type { RequestWithRawBody } from '../../../http/request/body-reader.js';
import type { Rows } from '../../../http/request/pagination.js';
import { Jobs } from '../../../jobs/jobs.service.js';
import { SecondSecrets } from '../../../observability/second-secrets.js';
import { AuditService } from '../../core/audit/audit.service.js';
import { crypto2bSignature, type SignedParts } from '../deposits/domain/crypto2b.js';
import { depositProviderKey, WEBHOOK_EVENT_STATES, type WebhookKind } from './domain/webhook-event.js';
import type { WebhookEventsQuery } from './dto/webhook-events.request.js';
import type { WebhookEvent } from './entities/webhook-event.entity.js';
import { CALLBACKS } from './webhook-events.job.js';
import {
  WebhookEventsRepository,
  type NewWebhookEvent,
  type WebhookEventSummary,
} from './webhook-events.repository.js';

const DEFAULT_RECV_WINDOW_MS = '5000';
const MAX_RECV_WINDOW_MS = 60_000;
const MILLISECONDS = /^\d{1,15}$/;

/** Verifies the signature of a callback over its exact bytes, in constant time. Throws WEBHOOK_SIGNATURE_INVALID. */
@Injectable()
export class CallbackSignaturesService {
  private readonly custody: Webhook;
  private readonly secondCustody: Webhook | undefined;

  constructor(
    private readonly config: AppConfig,
    private readonly secondSecrets: SecondSecrets,
  ) {
    const { CUSTODY_WEBHOOK_SECRET: custody, CUSTODY_WEBHOOK_SECRET_ALSO: second } = config;
    this.custody = new Webhook(custody);
    this.secondCustody = second === undefined ? undefined : new Webhook(second);
  }

  requireDepositProviderSignature(request: RequestWithRawBody): void {
    const timestamp = request.get('X-Processing-Timestamp') ?? '';
    const recvWindow = request.get('X-Processing-RecvWindow') ?? DEFAULT_RECV_WINDOW_MS;
    const body = request.rawBody ?? Buffer.alloc(0);
    const parts = { timestamp, recvWindow, method: request.method, path: request.originalUrl, body };
    const credentials = {
      key: request.get('X-Processing-Key') ?? '',
      signature: request.get('X-Processing-Signature') ?? '',
    };
    if (!this.isFromDepositProvider(credentials, parts) || !isWithin(timestamp, recvWindow))
      throwError('WEBHOOK_SIGNATURE_INVALID');
  }

  /** Key and secret are verified as a pair. In the second pair a value without a setting _ALSO is that of the first pair. */
  private isFromDepositProvider(sent: { key: string; signature: string }, parts: SignedParts): boolean {
    const { config } = this;
    const matches = (key: string, secret: string) => {
      const isKey = isSameText(sent.key, key); // the signature is compared even if the key is wrong, for equal times
      return isSameText(sent.signature, crypto2bSignature(secret, parts)) && isKey;
    };
    if (matches(config.DEPOSIT_PROVIDER_KEY, config.DEPOSIT_PROVIDER_SECRET)) return true;
    const { DEPOSIT_PROVIDER_KEY_ALSO: key, DEPOSIT_PROVIDER_SECRET_ALSO: secret } = config;
    if (key === undefined && secret === undefined) return false;
    if (!matches(key ?? config.DEPOSIT_PROVIDER_KEY, secret ?? config.DEPOSIT_PROVIDER_SECRET)) return false;
    if (key !== undefined) this.secondSecrets.recordUse('DEPOSIT_PROVIDER_KEY_ALSO');
    if (secret !== undefined) this.secondSecrets.recordUse('DEPOSIT_PROVIDER_SECRET_ALSO');
    return true;
  }

  requireCustodyProviderSignature(request: RequestWithRawBody): void {
    const names = ['webhook-id', 'webhook-timestamp', 'webhook-signature'];
    const headers = Object.fromEntries(names.map((name) => [name, request.get(name) ?? '']));
    const body = request.rawBody ?? Buffer.alloc(0);
    if (isVerified(this.custody, body, headers)) return;
    if (!this.secondCustody || !isVerified(this.secondCustody, body, headers))
      throwError('WEBHOOK_SIGNATURE_INVALID');
    this.secondSecrets.recordUse('CUSTODY_WEBHOOK_SECRET_ALSO');
  }
}

function isVerified(webhook: Webhook, body: Buffer, headers: Record<string, string>): boolean {
  try {
    webhook.verify(body, headers, { jsonParse: false });
    return true;
  } catch {
    return false;
  }
}

/** True if the timestamp differs from now by at most `recvWindow`; a window above one minute counts as one minute. */
function isWithin(timestamp: string, recvWindow: string): boolean {
  if (!MILLISECONDS.test(timestamp) || !MILLISECONDS.test(recvWindow)) return false;
  const window = Math.min(Number(recvWindow), MAX_RECV_WINDOW_MS);
  return Math.abs(realNow().getTime() - Number(timestamp)) <= window;
}

/** Verifies and stores callbacks. They are processed after the response. */
@Injectable()
export class CallbacksService {
  constructor(
    private readonly config: AppConfig,
    private readonly signatures: CallbackSignaturesService,
    private readonly events: WebhookEventsRepository,
    private readonly jobs: Jobs,
    private readonly clock: Clock,
    private readonly databaseClock: DatabaseClock,
  ) {}

  /**
   * Verifies a callback and stores its event; false for a duplicate. Throws NOT_FOUND for the name of another provider,
   * WEBHOOK_SIGNATURE_INVALID, and SERVICE_UNAVAILABLE as `storeEvent` does.
   */
  async receiveFromDepositProvider(
    kind: WebhookKind,
    provider: string,
    request: RequestWithRawBody,
  ): Promise<boolean> {
    if (provider !== this.config.DEPOSIT_PROVIDER_NAME) throwError('NOT_FOUND');
    this.signatures.requireDepositProviderSignature(request);
    const body = bodyOf(request);
    return this.storeEvent({ kind, provider, eventKey: depositProviderKey(kind, body), body });
  }

  /** As `receiveFromDepositProvider`, for the custody provider. */
  async receiveFromCustodyProvider(provider: string, request: RequestWithRawBody): Promise<boolean> {
    if (provider !== this.config.CUSTODY_PROVIDER_NAME) throwError('NOT_FOUND');
    this.signatures.requireCustodyProviderSignature(request);
    const eventKey = request.get('webhook-id') as string;
    return this.storeEvent({ kind: 'yield', provider, eventKey, body: bodyOf(request) });
  }

  /**
   * Stores an event and starts its processing after the response. False for a duplicate. Throws SERVICE_UNAVAILABLE while the
   * clock of the process is wrong.
   */
  async storeEvent(event: NewWebhookEvent): Promise<boolean> {
    this.databaseClock.assertInSync();
    const isNew = await this.events.insertEvent(event, this.clock.now());
    if (isNew) setImmediate(() => this.jobs.get(CALLBACKS).wake());
    return isNew;
  }
}

function bodyOf({ rawBody }: RequestWithRawBody): string {
  return rawBody?.toString('utf8') ?? '';
}

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
