import { randomUUID } from 'node:crypto';
import type { SeededRandom } from '../../harness/seeded-random.js';
import type { TestAdmin, TestUser } from '../../fixtures/given.js';
import type { LoadRequest, LoadResponse } from './load.js';
import type { TestPlatform } from '../../harness/platform.js';
import { DESTINATION, UNKNOWN_ID } from '../../fixtures/withdrawals.js';

const USERS = 40;
const MAX_OPEN_INVESTMENTS = 8; // per user, so that their lists do not grow during the run
const INVALID_TOKEN = 'invalid-token';

interface MixUser {
  user: TestUser;
  /** Token of the identity provider. */
  signInToken: string;
  openInvestments: string[];
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
    const users: MixUser[] = [];
    for (let count = 0; count < USERS; count++) {
      const user = await platform.given.user().withBalance('1000000.00');
      const identity = { email: user.email, name: 'Test Person' };
      const signInToken = await platform.outside.providers.identity.token(identity);
      users.push({ user, signInToken, openInvestments: [] });
    }
    return new RequestMix(users, await platform.given.admin(), random);
  }

  /** The next request; pass its response to `recordResponse`. */
  readonly next = (): LoadRequest => {
    const mixUser = this.random.oneOf(this.users);
    const { token } = mixUser.user;
    const get = (path: string, by = token): LoadRequest => ({ method: 'GET', path, token: by });
    const roll = this.random.next();
    if (roll < 0.2) return get('/api/user/transactions?limit=20');
    if (roll < 0.4) return get('/api/user/balance');
    if (roll < 0.5) return get('/api/user/dashboard');
    if (roll < 0.6) return get('/api/user/investments');
    if (roll < 0.65) return get('/api/user/notifications');
    if (roll < 0.7) return get('/api/admin/withdrawals', this.admin.token);
    if (roll < 0.73) return get(`/api/user/statement?format=${this.random.oneOf(['json', 'csv'])}`);
    if (roll < 0.76) return { method: 'POST', path: '/api/auth/idp/login', token: mixUser.signInToken };
    if (roll < 0.8) return get(`/api/user/withdrawals/${UNKNOWN_ID}`);
    if (roll < 0.83) return get('/api/user/balance', INVALID_TOKEN);
    if (roll < 0.95)
      return mixUser.openInvestments.length < MAX_OPEN_INVESTMENTS
        ? this.investRequest(mixUser)
        : this.closeRequest(mixUser);
    const body = { amount: '10.00', currency: 'USDC', toAddress: DESTINATION };
    return { method: 'POST', path: '/api/user/withdrawals', token, body };
  };

  /** Counts created records and keeps ids of open investments for later closings. A closing refused with 503 is repeated. */
  recordResponse({ request, status, text }: LoadResponse): void {
    if (request.method === 'POST' && status === 201) this.createdCount++;
    const mixUser = this.users.find(({ user }) => user.token === request.token);
    if (!mixUser || !request.path.startsWith('/api/user/investments')) return;
    if (status === 201) mixUser.openInvestments.push((JSON.parse(text) as { data: { id: string } }).data.id);
    if (request.method === 'DELETE' && status === 503)
      mixUser.openInvestments.push(request.path.split('/').at(-1) as string);
  }

  private investRequest({ user }: MixUser): LoadRequest {
    const body = { strategyId: 'balanced-10', amount: '10.00' };
    const headers = { 'idempotency-key': randomUUID() };
    return { method: 'POST', path: '/api/user/investments', token: user.token, body, headers };
  }

  private closeRequest({ user, openInvestments }: MixUser): LoadRequest {
    return { method: 'DELETE', path: `/api/user/investments/${openInvestments.shift()}`, token: user.token };
  }
}

/** Whether the service answered the request itself: with success, or with the expected refusal of an invalid token or id. */
export function isServed({ request, status }: LoadResponse): boolean {
  if (request.token === INVALID_TOKEN) return status === 401;
  if (request.path.endsWith(UNKNOWN_ID)) return status === 404;
  return status === 200 || status === 201;
}
