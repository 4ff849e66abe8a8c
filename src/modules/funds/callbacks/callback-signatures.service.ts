import { Injectable } from '@nestjs/common';
import { Webhook } from 'standardwebhooks';
import { AppConfig } from '../../../config/app-config.js';
import type { RequestWithRawBody } from '../../../http/request/body-reader.js';
import { realNow } from '../../../common/clock.js';
import { isSameText } from '../../../common/constant-time.js';
import { throwError } from '../../../common/errors/domain-error.js';
import { SecondSecrets } from '../../../observability/second-secrets.js';
import { crypto2bSignature, type SignedParts } from '../deposits/domain/crypto2b-protocol.js';

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
