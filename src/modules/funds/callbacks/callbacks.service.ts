import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock.js';
import { throwError } from '../../../common/errors/domain-error.js';
import { AppConfig } from '../../../config/app-config.js';
import { DatabaseClock } from '../../../database/database-clock.js';
import type { RequestWithRawBody } from '../../../http/request/body-reader.js';
import { Jobs } from '../../../jobs/jobs.service.js';
import { depositProviderKey, type WebhookKind } from './domain/webhook-event.js';
import { CALLBACKS } from './webhook-events.job.js';
import { WebhookEventsRepository, type NewWebhookEvent } from './webhook-events.repository.js';
import { CallbackSignaturesService } from './callback-signatures.service.js';

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
