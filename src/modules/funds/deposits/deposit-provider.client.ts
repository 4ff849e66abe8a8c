import { Injectable, Logger } from '@nestjs/common';
import { stringify } from 'lossless-json';
import { setTimeout as sleep } from 'node:timers/promises';
import { AppConfig } from '../../../config/app-config.js';
import { boundedText } from '../../../common/bounded-text.js';
import { realNow } from '../../../common/clock.js';
import { httpAddress } from '../../../common/http-address.js';
import { throwError } from '../../../common/errors/domain-error.js';
import { readMessage } from '../../../http/request/message-validation.js';
import { withClientSpan } from '../../../observability/spans.js';
import { fetchInTrace } from '../../../observability/tracing/trace.js';
import {
  AddressMessage,
  DepositListMessage,
  crypto2bSignature,
  parseMessage,
  readDeposit,
} from './domain/crypto2b.js';
import type { ProviderDeposit } from './domain/deposit-reports.js';

/** An address that the provider watches. */
export interface ProviderAddress {
  readonly id: string;
  readonly address: string;
}

/** A page of the provider's list. */
export interface ProviderPage {
  readonly deposits: readonly ProviderDeposit[];
  /** Number of invalid items. */
  readonly unreadable: number;
  readonly isLast: boolean;
}

/**
 * The provider that creates deposit addresses and watches them. Its answer can take seconds, so it is never called
 * while a database transaction is open. Any failure, time-out or invalid answer throws CRYPTO2B_API_ERROR.
 */
export abstract class DepositProvider {
  /** Creates an address for a user's deposits of `currency` over `network`. */
  abstract createAddress(userId: string, currency: string, network: string): Promise<ProviderAddress>;

  /** A page of all deposits, newest first. */
  abstract listDeposits(offset: number, limit: number): Promise<ProviderPage>;

  /** A deposit by the provider's id; undefined if the provider does not know it. */
  abstract findDeposit(id: string): Promise<ProviderDeposit | undefined>;
}

export const TIMEOUT_MS = 4000;
export const READ_ATTEMPTS = 2; // only reads are repeated: they have no side effect
export const RETRY_DELAY_MS = 150;
export const RECV_WINDOW_MS = '5000'; // the provider refuses a request that arrives later than this after its timestamp
export const MAX_ANSWER_BYTES = 2_000_000;
const NOT_FOUND = Symbol('not found');

/** The deposit provider over HTTP; each request is signed. */
@Injectable()
export class Crypto2bClient extends DepositProvider {
  private readonly log = new Logger('DepositProvider');

  constructor(private readonly config: AppConfig) {
    super();
  }

  // The provider's public documentation names no path for creating an address; this path is an assumption.
  async createAddress(userId: string, currency: string, network: string): Promise<ProviderAddress> {
    const body = { currencyShortName: currency, transportProtocol: network.toLowerCase(), foreignId: userId };
    const answer = await this.request('POST', '/deposits/addresses', 1, stringify(body));
    return readMessage(AddressMessage, answer) ?? this.failInvalid('an address');
  }

  async listDeposits(offset: number, limit: number): Promise<ProviderPage> {
    const answer = await this.request('GET', `/deposits/list?offset=${offset}&limit=${limit}`, READ_ATTEMPTS);
    const { items } = readMessage(DepositListMessage, answer) ?? this.failInvalid('a list');
    const page = items.slice(0, limit);
    const deposits = page.flatMap((item) => readDeposit(item) ?? []); // one invalid item does not fail the page
    return { deposits, unreadable: page.length - deposits.length, isLast: items.length < limit };
  }

  async findDeposit(id: string): Promise<ProviderDeposit | undefined> {
    const answer = await this.request('GET', `/deposits/${encodeURIComponent(id)}`, READ_ATTEMPTS);
    if (answer === NOT_FOUND) return undefined;
    return readDeposit(answer) ?? this.failInvalid('a deposit');
  }

  /** The answer's JSON, or NOT_FOUND for a GET request that is answered with 404. Throws CRYPTO2B_API_ERROR. */
  private async request(method: 'GET' | 'POST', path: string, attempts: number, body = ''): Promise<unknown> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await withClientSpan('deposit provider', () => this.requestOnce(method, path, body));
      } catch (error) {
        if (attempt < attempts) {
          await sleep(RETRY_DELAY_MS);
          continue;
        }
        this.log.warn({ msg: `${method} ${path.split('?')[0]} failed`, err: error });
        throwError('CRYPTO2B_API_ERROR');
      }
    }
  }

  private async requestOnce(method: 'GET' | 'POST', path: string, body: string): Promise<unknown> {
    const address = httpAddress(this.config.DEPOSIT_PROVIDER_URL.replace(/\/$/, '') + path);
    const url = new URL(address.url);
    const response = await fetchInTrace(url, {
      method,
      headers: { ...address.headers, ...this.headers(method, url.pathname + url.search, body) },
      ...(body ? { body } : {}),
      redirect: 'error', // a signed request must not reach another server
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const text = await boundedText(response, MAX_ANSWER_BYTES);
    if (text === undefined) throw new Error('the answer is too long');
    if (response.status === 404 && method === 'GET') return NOT_FOUND;
    if (!response.ok) throw new Error(`the provider answers ${response.status}`);
    const answer = parseMessage(text);
    if (answer === undefined) throw new Error('the answer is not JSON');
    return answer;
  }

  private headers(method: string, path: string, body: string): Record<string, string> {
    const parts = { timestamp: String(realNow().getTime()), recvWindow: RECV_WINDOW_MS, method, path, body };
    return {
      'Content-Type': 'application/json',
      'X-Processing-Key': this.config.DEPOSIT_PROVIDER_KEY,
      'X-Processing-Timestamp': parts.timestamp,
      'X-Processing-RecvWindow': parts.recvWindow,
      'X-Processing-Signature': crypto2bSignature(this.config.DEPOSIT_PROVIDER_SECRET, parts),
    };
  }

  private failInvalid(expected: string): never {
    this.log.warn(`the provider's answer is not ${expected}`);
    throwError('CRYPTO2B_API_ERROR');
  }
}
