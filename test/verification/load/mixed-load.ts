import { randomUUID } from 'node:crypto';
import type { SeededRandom } from '../../harness/seeded-random.js';
import type { TestAdmin, TestUser } from '../../fixtures/given.js';
import type { Ask, Told } from './load.js';
import type { TestPlatform } from '../../harness/platform.js';
import { DESTINATION, UNKNOWN_ID } from '../../fixtures/withdrawals.js';

const USERS = 40;
const OPEN_AT_MOST = 8; // a user's investments: the data stays as it is, however long the load lasts

interface Someone {
  user: TestUser;
  signIn: string;
  open: string[];
}

/** What many people do at once: reads and writes, downloads, sign-ins, and requests that are refused. */
export class MixedLoad {
  /** Investments and withdrawals that were answered as made. */
  made = 0;

  private constructor(
    private readonly people: readonly Someone[],
    private readonly admin: TestAdmin,
    private readonly random: SeededRandom,
  ) {}

  static async on(platform: TestPlatform, random: SeededRandom): Promise<MixedLoad> {
    const people: Someone[] = [];
    for (let count = 0; count < USERS; count++) {
      const user = await platform.given.user().withBalance('1000000.00');
      const identity = { email: user.email, name: 'Test Person' };
      people.push({ user, signIn: await platform.outside.providers.identity.token(identity), open: [] });
    }
    return new MixedLoad(people, await platform.given.admin(), random);
  }

  /** The next request; what becomes of it is to be told by `note`. */
  readonly next = (): Ask => {
    const one = this.random.oneOf(this.people);
    const { token } = one.user;
    const get = (path: string, by = token): Ask => ({ method: 'GET', path, token: by });
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
    if (roll < 0.95) return one.open.length < OPEN_AT_MOST ? this.invest(one) : this.close(one);
    const body = { amount: '10.00', currency: 'USDC', toAddress: DESTINATION };
    return { method: 'POST', path: '/api/user/withdrawals', token, body };
  };

  /** Keeps what was made, so that it can be closed and counted. */
  note({ ask, status, text }: Told): void {
    if (ask.method === 'POST' && status === 201) this.made++;
    const one = this.people.find(({ user }) => user.token === ask.token);
    if (!one || !ask.path.startsWith('/api/user/investments')) return;
    if (status === 201) one.open.push((JSON.parse(text) as { data: { id: string } }).data.id);
    if (ask.method === 'DELETE' && status === 503) one.open.push(ask.path.split('/').at(-1) as string);
  }

  private invest({ user }: Someone): Ask {
    const body = { strategyId: 'balanced-10', amount: '10.00' };
    const headers = { 'idempotency-key': randomUUID() };
    return { method: 'POST', path: '/api/user/investments', token: user.token, body, headers };
  }

  private close({ user, open }: Someone): Ask {
    return { method: 'DELETE', path: `/api/user/investments/${open.shift()}`, token: user.token };
  }
}

/** What the mix may be answered beside 503. */
export const SERVED = [200, 201, 401, 404];
