import { Injectable } from '@nestjs/common';
import { Webhook } from 'standardwebhooks';
import { AppConfig } from '../../config/app-config.js';
import type { RequestWithRawBody } from '../../http/body/json-body.js';
import { realNow } from '../../kernel/clock.js';
import { fail } from '../../kernel/errors/domain-error.js';
import { crypto2bSignature, isSameText } from '../deposits/provider/crypto2b-signature.js';

const DEFAULT_RECV_WINDOW_MS = '5000';
const LONGEST_RECV_WINDOW_MS = 60_000;
const MILLISECONDS = /^\d{1,15}$/;

/** Who sent a callback: over its exact bytes, in constant time. Throws WEBHOOK_SIGNATURE_INVALID. */
@Injectable()
export class WebhookSignatures {
  private readonly custody: Webhook;

  constructor(private readonly config: AppConfig) {
    this.custody = new Webhook(config.CUSTODY_WEBHOOK_SECRET);
  }

  requireDepositProvider(request: RequestWithRawBody): void {
    const timestamp = request.get('X-Processing-Timestamp') ?? '';
    const recvWindow = request.get('X-Processing-RecvWindow') ?? DEFAULT_RECV_WINDOW_MS;
    const body = request.rawBody ?? Buffer.alloc(0);
    const parts = { timestamp, recvWindow, method: request.method, path: request.originalUrl, body };
    const isKey = isSameText(request.get('X-Processing-Key') ?? '', this.config.DEPOSIT_PROVIDER_KEY);
    const isSignature = isSameText(
      request.get('X-Processing-Signature') ?? '',
      crypto2bSignature(this.config.DEPOSIT_PROVIDER_SECRET, parts),
    );
    if (!isKey || !isSignature || !isWithin(timestamp, recvWindow)) fail('WEBHOOK_SIGNATURE_INVALID');
  }

  requireCustodyProvider(request: RequestWithRawBody): void {
    const names = ['webhook-id', 'webhook-timestamp', 'webhook-signature'];
    const headers = Object.fromEntries(names.map((name) => [name, request.get(name) ?? '']));
    try {
      this.custody.verify(request.rawBody ?? Buffer.alloc(0), headers, { jsonParse: false });
    } catch {
      fail('WEBHOOK_SIGNATURE_INVALID');
    }
  }
}

/** Neither older nor younger than its window; a sender can not make the window longer than a minute. */
function isWithin(timestamp: string, recvWindow: string): boolean {
  if (!MILLISECONDS.test(timestamp) || !MILLISECONDS.test(recvWindow)) return false;
  const window = Math.min(Number(recvWindow), LONGEST_RECV_WINDOW_MS);
  return Math.abs(realNow().getTime() - Number(timestamp)) <= window;
}
