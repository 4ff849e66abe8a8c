import { randomUUID } from 'node:crypto';
import type { SeededRandom } from '../../harness/seeded-random.js';
import type { TestAdmin, TestUser } from '../../fixtures/given.js';
import type { LoadRequest, LoadResponse } from './load.js';
import type { TestPlatform } from '../../harness/platform.js';
import { DESTINATION, UNKNOWN_ID } from '../../fixtures/withdrawals.js';

const USERS = 40;
const MAX_OPEN_INVESTMENTS = 8; // per user, so that the amount of data stays constant

interface MixUser {
  user: TestUser;
  signIn: string;
  open: string[];
}

/** A random mix of reads, writes, downloads, sign-ins and refused requests of many users. */
export class RequestMix {
  /** Number of acknowledged investments and withdrawals. */
  createdCount = 0;

  private constructor(
    private readonly users: readonly MixUser[],
    private readonly admin: TestAdmin,
    private readonly random: SeededRandom,
  ) {}

  static async on(platform: TestPlatform, random: SeededRandom): Promise<RequestMix> {
    const people: MixUser[] = [];
    for (let count = 0; count < USERS; count++) {
      const user = await platform.given.user().withBalance('1000000.00');
      const identity = { email: user.email, name: 'Test Person' };
      people.push({ user, signIn: await platform.outside.providers.identity.token(identity), open: [] });
    }
    return new RequestMix(people, await platform.given.admin(), random);
  }

  /** The next request; pass its response to `recordResponse`. */
  readonly next = (): LoadRequest => {
    const one = this.random.oneOf(this.users);
    const { token } = one.user;
    const get = (path: string, by = token): LoadRequest => ({ method: 'GET', path, token: by });
    const roll = this.random.next();
    if (roll < 0.2) return get('/api/user/transactions?limit=20');
    if (roll < 0.4) return get('/api/user/balance');
    if (roll < 0.5) return get('/api/user/dashboard');
    if (roll < 0.6) return get('/api/user/investments');
    if (roll < 0.65) return get('/api/user/notifications');
    if (roll < 0.7) return get('/api/admin/withdrawals', this.admin.token);
    if (roll < 0.73) return get(`/api/user/statement?format=${this.random.oneOf(['json', 'csv'])}`);
    if (roll < 0.76) return { method: 'POST', path: '/api/auth/idp/login', token: one.signIn };
    if (roll < 0.8) return get(`/api/user/withdrawals/${UNKNOWN_ID}`);
    if (roll < 0.83) return get('/api/user/balance', 'of-nobody');
    if (roll < 0.95) return one.open.length < MAX_OPEN_INVESTMENTS ? this.invest(one) : this.close(one);
    const body = { amount: '10.00', currency: 'USDC', toAddress: DESTINATION };
    return { method: 'POST', path: '/api/user/withdrawals', token, body };
  };

  /** Remembers created records, to close and count them. */
  recordResponse({ ask, status, text }: LoadResponse): void {
    if (ask.method === 'POST' && status === 201) this.createdCount++;
    const one = this.users.find(({ user }) => user.token === ask.token);
    if (!one || !ask.path.startsWith('/api/user/investments')) return;
    if (status === 201) one.open.push((JSON.parse(text) as { data: { id: string } }).data.id);
    if (ask.method === 'DELETE' && status === 503) one.open.push(ask.path.split('/').at(-1) as string);
  }

  private invest({ user }: MixUser): LoadRequest {
    const body = { strategyId: 'balanced-10', amount: '10.00' };
    const headers = { 'idempotency-key': randomUUID() };
    return { method: 'POST', path: '/api/user/investments', token: user.token, body, headers };
  }

  private close({ user, open }: MixUser): LoadRequest {
    return { method: 'DELETE', path: `/api/user/investments/${open.shift()}`, token: user.token };
  }
}

/** Expected statuses besides 503. */
export const SERVED_STATUSES = [200, 201, 401, 404];
