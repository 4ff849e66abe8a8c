import { Injectable, Logger } from '@nestjs/common';
import { stringify } from 'lossless-json';
import { setTimeout as sleep } from 'node:timers/promises';
import { AppConfig } from '../../../config/app-config.js';
import { boundedText } from '../../../common/bounded-text.js';
import { realNow } from '../../../common/clock.js';
import { fail } from '../../../common/errors/domain-error.js';
import { asking } from '../../../observability/spans.js';
import {
  DepositProvider,
  type ProviderAddress,
  type ProviderDeposit,
  type ProviderPage,
} from './deposit-provider.js';
import { fieldsOf, parseMessage, readDeposit, textOf } from './crypto2b-messages.js';
import { crypto2bSignature } from './crypto2b-signature.js';

const TIMEOUT_MS = 4000;
const READ_ATTEMPTS = 2; // only reads are repeated: they change nothing
const RETRY_DELAY_MS = 150;
const RECV_WINDOW_MS = '5000';
const LONGEST_ANSWER_BYTES = 2_000_000;

/** The deposit provider over HTTP, each request signed. */
@Injectable()
export class Crypto2bProvider extends DepositProvider {
  private readonly log = new Logger('DepositProvider');

  constructor(private readonly config: AppConfig) {
    super();
  }

  // The provider's public pages name no path for making an address: this is the one place that does.
  async createAddress(userId: string, currency: string, network: string): Promise<ProviderAddress> {
    const wish = { currencyShortName: currency, transportProtocol: network.toLowerCase(), foreignId: userId };
    const answer = await this.ask('POST', '/deposits/addresses', 1, stringify(wish));
    const [id, address] = [textOf(fieldsOf(answer).id), textOf(fieldsOf(answer).address)];
    return id && address ? { id, address } : this.makesNoSense('an address');
  }

  async list(offset: number, limit: number): Promise<ProviderPage> {
    const answer = await this.ask('GET', `/deposits/list?offset=${offset}&limit=${limit}`, READ_ATTEMPTS);
    const { items } = fieldsOf(answer);
    if (!Array.isArray(items)) return this.makesNoSense('a list');
    const page = items.slice(0, limit);
    const deposits = page.flatMap((item) => readDeposit(item) ?? []); // one odd item hides no other
    return { deposits, unreadable: page.length - deposits.length, isLast: items.length < limit };
  }

  async find(id: string): Promise<ProviderDeposit | undefined> {
    const answer = await this.ask('GET', `/deposits/${encodeURIComponent(id)}`, READ_ATTEMPTS);
    if (answer === ABSENT) return undefined;
    return readDeposit(answer) ?? this.makesNoSense('a deposit');
  }

  /** The answer's JSON, or ABSENT for 404. Throws CRYPTO2B_API_ERROR. */
  private async ask(method: 'GET' | 'POST', path: string, attempts: number, body = ''): Promise<unknown> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await asking('deposit provider', () => this.once(method, path, body));
      } catch (error) {
        if (attempt < attempts) {
          await sleep(RETRY_DELAY_MS);
          continue;
        }
        this.log.warn({ msg: `${method} ${path.split('?')[0]} failed`, err: error });
        fail('CRYPTO2B_API_ERROR');
      }
    }
  }

  private async once(method: 'GET' | 'POST', path: string, body: string): Promise<unknown> {
    const url = new URL(this.config.DEPOSIT_PROVIDER_URL.replace(/\/$/, '') + path);
    const response = await fetch(url, {
      method,
      headers: this.headers(method, url.pathname + url.search, body),
      ...(body ? { body } : {}),
      redirect: 'error', // a signed request goes to nobody else
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const text = await boundedText(response, LONGEST_ANSWER_BYTES);
    if (text === undefined) throw new Error('the answer is too long');
    if (response.status === 404 && method === 'GET') return ABSENT;
    if (!response.ok) throw new Error(`the provider answers ${response.status}`);
    const answer = parseMessage(text);
    if (answer === undefined) throw new Error('the provider answers something that is not JSON');
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

  private makesNoSense(wanted: string): never {
    this.log.warn(`the provider's answer is not ${wanted}`);
    fail('CRYPTO2B_API_ERROR');
  }
}

const ABSENT = Symbol('absent');
