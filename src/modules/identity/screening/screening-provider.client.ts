import { createHmac } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { AppConfig } from '../../../config/app-config.js';
import { parseJson, readMessage } from '../../../http/request/message-validation.js';
import { boundedText } from '../../../common/bounded-text.js';
import { httpAddress, type HttpAddress } from '../../../common/http-address.js';
import { realNow, realSeconds } from '../../../common/clock.js';
import { MINUTE_MS } from '../../../common/durations.js';
import { withClientSpan } from '../../../observability/spans.js';
import { fetchInTrace } from '../../../observability/tracing/trace.js';
import { ScreeningAnswer } from './domain/verdict.js';

/** The subject as the provider receives it. */
export type ScreenedSubject =
  | { readonly type: 'user'; readonly id: string; readonly email: string; readonly name?: string }
  | { readonly type: 'address'; readonly id: string; readonly address: string; readonly network: string };

/** The result of this process's last request to the provider. */
interface LastRequest {
  readonly at: Date;
  /** False after a time-out, a failure or an invalid answer. */
  readonly isAnswered: boolean;
}

/** The provider that screens users and addresses. Never called while a database transaction is open. */
export abstract class ScreeningProvider {
  /** `reference` is the platform's id of this request. Throws after a time-out, a failure or an invalid answer. */
  abstract screen(reference: string, subject: ScreenedSubject): Promise<ScreeningAnswer>;

  /**
   * Returns the last request, undefined before the first one. Throws if that request failed within the last ten minutes or if
   * the provider's server does not answer now.
   */
  abstract requireAvailable(): Promise<LastRequest | undefined>;
}

export const TIMEOUT_MS = 2000;
/**
 * How long a failed request of this process counts as an outage: twice the longest interval of retries. By then another process has
 * retried, perhaps with success.
 */
const FAILURE_COUNTS_MS = 10 * MINUTE_MS;
export const MAX_ANSWER_BYTES = 65_536;

/** The screening provider over HTTP; each request is signed. */
@Injectable()
export class HttpScreeningClient extends ScreeningProvider {
  private last: LastRequest | undefined;
  private failedAtMs = -Infinity;

  constructor(private readonly config: AppConfig) {
    super();
  }

  async screen(reference: string, subject: ScreenedSubject): Promise<ScreeningAnswer> {
    try {
      const answer = await withClientSpan('screening provider', () => this.post({ reference, subject }));
      this.last = { at: realNow(), isAnswered: true };
      return answer;
    } catch (error) {
      this.last = { at: realNow(), isAnswered: false };
      this.failedAtMs = performance.now();
      throw error;
    }
  }

  /** The protocol has no probe, so any answer below 500 to a request of the base URL counts as available. */
  async requireAvailable(): Promise<LastRequest | undefined> {
    if (this.last?.isAnswered === false && performance.now() - this.failedAtMs < FAILURE_COUNTS_MS)
      throw new Error('the last screening request failed');
    const { url, headers } = this.addressOf('');
    const response = await fetch(url, {
      headers,
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    await response.body?.cancel();
    if (response.status >= 500) throw new Error(`the provider answers ${response.status}`);
    return this.last;
  }

  private async post(question: object): Promise<ScreeningAnswer> {
    const body = JSON.stringify(question);
    const timestamp = String(realSeconds());
    const { url, headers } = this.addressOf('/screen');
    const response = await fetchInTrace(url, {
      method: 'POST',
      headers: {
        ...headers,
        'Content-Type': 'application/json',
        'X-Timestamp': timestamp,
        'X-Signature': signatureOf(this.config.SCREENING_SECRET ?? '', timestamp, body),
      },
      body,
      redirect: 'error', // a signed request must not reach another server
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const text = await boundedText(response, MAX_ANSWER_BYTES);
    if (text === undefined) throw new Error('the answer is too long');
    if (!response.ok) throw new Error(`the provider answers ${response.status}`);
    const answer = readAnswer(text);
    if (!answer) throw new Error('the answer is not as documented');
    return answer;
  }

  private addressOf(path: string): HttpAddress {
    return httpAddress((this.config.SCREENING_URL ?? '').replace(/\/$/, '') + path);
  }
}

/** hex(HMAC-SHA256(secret, timestamp + "." + body)) */
export function signatureOf(secret: string, timestamp: string, body: string): string {
  return createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex');
}

/** Undefined for an invalid answer: a verdict is never guessed. */
export function readAnswer(text: string): ScreeningAnswer | undefined {
  return readMessage(ScreeningAnswer, parseJson(text));
}
