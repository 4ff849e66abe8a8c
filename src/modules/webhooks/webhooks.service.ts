import { Injectable } from '@nestjs/common';
import { AppConfig } from '../../config/app-config.js';
import type { RequestWithRawBody } from '../../http/request/body-reader.js';
import { fail } from '../../common/errors/domain-error.js';
import { depositProviderKey, type WebhookKind } from './webhook-event.js';
import { WebhookInbox } from './webhook-inbox.js';
import { WebhookSignatures } from './webhook-signatures.js';
import { toWebhookReceiptResponse, type WebhookReceiptResponse } from './dto/webhook.response.js';

/** The door for callbacks: verify, keep, answer. Acting upon them comes afterwards. */
@Injectable()
export class WebhooksService {
  constructor(
    private readonly config: AppConfig,
    private readonly signatures: WebhookSignatures,
    private readonly inbox: WebhookInbox,
  ) {}

  /** Throws NOT_FOUND for another provider's name, WEBHOOK_SIGNATURE_INVALID when it is not from the provider. */
  async fromDepositProvider(
    kind: WebhookKind,
    provider: string,
    request: RequestWithRawBody,
  ): Promise<WebhookReceiptResponse> {
    if (provider !== this.config.DEPOSIT_PROVIDER_NAME) fail('NOT_FOUND');
    this.signatures.requireDepositProvider(request);
    const body = textOf(request);
    return this.keep(kind, provider, depositProviderKey(kind, body), body);
  }

  async fromCustodyProvider(provider: string, request: RequestWithRawBody): Promise<WebhookReceiptResponse> {
    if (provider !== this.config.CUSTODY_PROVIDER_NAME) fail('NOT_FOUND');
    this.signatures.requireCustodyProvider(request);
    return this.keep('yield', provider, request.get('webhook-id') as string, textOf(request));
  }

  private async keep(
    kind: WebhookKind,
    provider: string,
    eventKey: string,
    body: string,
  ): Promise<WebhookReceiptResponse> {
    const isNew = await this.inbox.store({ provider, kind, eventKey, body });
    if (isNew) setImmediate(() => this.inbox.kick());
    return toWebhookReceiptResponse(isNew);
  }
}

function textOf({ rawBody }: RequestWithRawBody): string {
  return rawBody?.toString('utf8') ?? '';
}
