import type { SeededRandom } from '../../harness/seeded-random.js';
import type { TestPlatform } from '../../harness/platform.js';
import { DESTINATION } from '../../fixtures/withdrawals.js';
import type { Operation } from './operations.js';

interface Account {
  id?: string;
  token: string;
}

const ADMINS = ['admin', 'admin2', 'operator', 'support', 'readonly'] as const;
const ALL_CALLERS = ['anonymous', 'rich', 'poor', ...ADMINS] as const;

/** Routes that end the caller's session; each call of one uses a new token. */
const ENDS_SESSION = /logout/;

/** The callers of attacks, and the ids of existing records. */
export class AttackAccounts {
  private readonly accounts = new Map<string, Account>();
  private readonly idsOfLists = new Map<string, string[]>();

  private constructor(
    private readonly platform: TestPlatform,
    private readonly baseUrl: string,
  ) {}

  /** Creates two users, one with money in every state, and signs in the sandbox's admins. */
  static async create(platform: TestPlatform, baseUrl: string): Promise<AttackAccounts> {
    const created = new AttackAccounts(platform, baseUrl);
    // The route that erases test data does not accept users of this domain (DEC-44).
    const rich = await platform.given.user('rich@mail.example.net').withBalance('500000.00');
    const poor = await platform.given.user('poor@mail.example.net');
    created.accounts.set('rich', rich).set('poor', poor);
    for (const name of ADMINS) created.accounts.set(name, await platform.given.admin(name));
    for (let i = 0; i < 5; i++) {
      const order = { amount: `${20 + i}.00`, currency: 'USDC', toAddress: DESTINATION };
      await created.createRecord('rich', '/api/user/withdrawals', order);
      const investment = { strategyId: 'balanced-10', amount: `${200 + i}.00` };
      await created.createRecord('rich', '/api/user/investments', investment);
      await created.createRecord('admin', '/api/admin/users', { email: `made-${i}@mail.example.net` });
    }
    for (const name of ['rich', 'poor'])
      // Users without a deposit address cannot claim deposits.
      await created.as(name).get('/api/user/deposits/address?currency=USDC&network=ERC20');
    const webhook = { url: 'http://127.0.0.1:9/', events: ['deposit.completed'] };
    await created.createRecord('rich', '/api/user/webhooks', webhook);
    return created;
  }

  as(name: string) {
    return this.platform.as(this.accounts.get(name) ?? null, this.baseUrl);
  }

  /** A random caller, mostly one with permission, so that the request reaches the handler. */
  callerOf(operation: Operation, random: SeededRandom): string {
    if (random.next() < 0.25) return random.oneOf(ALL_CALLERS);
    if (operation.caller === 'anonymous') return random.oneOf(['anonymous', 'rich']);
    return operation.caller === 'user'
      ? random.oneOf(['rich', 'rich', 'poor'])
      : random.oneOf(['admin', 'admin2']);
  }

  async tokenOf(name: string, operation: Operation): Promise<string | undefined> {
    if (name === 'anonymous') return undefined;
    if (!ENDS_SESSION.test(operation.path)) return this.accounts.get(name)?.token;
    const { given } = this.platform;
    const { token } = await (name === 'rich' || name === 'poor' ? given.user() : given.admin(name));
    return token;
  }

  existingId(operation: Operation, random: SeededRandom): string | undefined {
    const [listPath = ''] = operation.path.split('/{');
    const ids = this.idsOfLists.get(listPath) ?? [];
    return ids.length > 0 ? random.oneOf(ids) : undefined;
  }

  /** Reads the ids of existing records from the lists that are prefixes of route paths. */
  async findIds(operations: readonly Operation[]): Promise<void> {
    const lists = new Set(
      operations.filter(({ inPath }) => inPath.length > 0).map(({ path }) => path.split('/{')[0]),
    );
    const readable = operations.filter(({ method, path }) => method === 'GET' && lists.has(path));
    for (const { path, caller } of readable) {
      const ids: string[] = [];
      for (const name of caller === 'admin' ? ['admin'] : ['rich', 'poor'])
        ids.push(...idsIn((await this.as(name).get(path)).body));
      this.idsOfLists.set(
        path,
        ids.filter((id) => !this.isOwnAccount(id)), // an attack must not block or erase a caller
      );
    }
    this.idsOfLists.set('/api/webhooks', ['crypto2b', 'fireblocks']); // the providers of /api/webhooks/{provider}/…
  }

  /** Resumes withdrawals that an attack has paused, so that later requests reach the handler. */
  async resume(): Promise<void> {
    const reason = 'The next round';
    const { status, data } = await this.as('admin').post('/api/admin/integrity/resume', { reason });
    if (status === 202) await this.as('admin2').post(`/api/admin/approvals/${data.id}/approve`, {});
  }

  private async createRecord(name: string, path: string, body: object): Promise<void> {
    const { status, code } = await this.as(name).post(path, body);
    if (status !== 201) throw new Error(`preparation: POST ${path} answered ${status} ${code}`);
  }

  private isOwnAccount(id: string): boolean {
    return [...this.accounts.values()].some((account) => account.id === id);
  }
}

/** The `id` of each item of a list response. */
function idsIn(body: { data?: unknown }): string[] {
  const lists = Array.isArray(body.data) ? [body.data] : Object.values(body.data ?? {}).filter(Array.isArray);
  return (lists.flat() as { id?: unknown }[]).map(({ id }) => id).filter((id) => typeof id === 'string');
}
