import type { SeededRandom } from '../../harness/seeded-random.js';
import type { TestPlatform } from '../../harness/platform.js';
import { DESTINATION } from '../../fixtures/withdrawals.js';
import type { Operation } from './operations.js';

interface Member {
  id?: string;
  token: string;
}

const ADMINS = ['admin', 'admin2', 'operator', 'support', 'readonly'] as const;
const ALL_CALLERS = ['nobody', 'rich', 'poor', ...ADMINS] as const;

/** Routes that end the caller's session: each call gets a new token. */
const ENDS_SESSION = /logout/;

/** The callers of attacks, and the ids of existing records. */
export class AttackAccounts {
  private readonly members = new Map<string, Member>();
  private readonly knownIds = new Map<string, string[]>();

  private constructor(
    private readonly platform: TestPlatform,
    private readonly at: string,
  ) {}

  /** Creates two users, one with money in every state, and signs in the sandbox's admins. */
  static async create(platform: TestPlatform, at: string): Promise<AttackAccounts> {
    const accounts = new AttackAccounts(platform, at);
    // e-mail addresses that the clean-up of test data does not match
    const [rich, poor] = [
      await platform.given.user('rich@mail.example.net').withBalance('500000.00'),
      await platform.given.user('poor@mail.example.net'),
    ];
    accounts.members.set('rich', rich).set('poor', poor);
    for (const name of ADMINS) accounts.members.set(name, await platform.given.admin(name));
    for (let i = 0; i < 5; i++) {
      const order = { amount: `${20 + i}.00`, currency: 'USDC', toAddress: DESTINATION };
      await accounts.as('rich').post('/api/user/withdrawals', order);
      await accounts
        .as('rich')
        .post('/api/user/investments', { strategyId: 'balanced-10', amount: `${200 + i}.00` });
      await accounts.as('admin').post('/api/admin/users', { email: `made-${i}@mail.example.net` });
    }
    for (const name of ['rich', 'poor'])
      // users without a deposit address cannot claim deposits
      await accounts.as(name).get('/api/user/deposits/address?currency=USDC&network=ERC20');
    await accounts
      .as('rich')
      .post('/api/user/webhooks', { url: 'http://127.0.0.1:9/', events: ['deposit.completed'] });
    return accounts;
  }

  as(name: string) {
    return this.platform.as(this.members.get(name) ?? null, this.at);
  }

  /** A random caller, mostly one with permission, so that the request reaches the handler. */
  callerOf(operation: Operation, random: SeededRandom): string {
    if (random.next() < 0.25) return random.oneOf(ALL_CALLERS);
    if (operation.caller === 'nobody') return random.oneOf(['nobody', 'rich']);
    return operation.caller === 'user'
      ? random.oneOf(['rich', 'rich', 'poor'])
      : random.oneOf(['admin', 'admin2']);
  }

  async tokenOf(name: string, operation: Operation): Promise<string | undefined> {
    if (name === 'nobody') return undefined;
    if (!ENDS_SESSION.test(operation.path)) return this.members.get(name)?.token;
    const { given } = this.platform;
    const { token } = await (name === 'rich' || name === 'poor' ? given.user() : given.admin(name));
    return token;
  }

  realId(operation: Operation, random: SeededRandom): string | undefined {
    const [listed = ''] = operation.path.split('/{');
    const known = this.knownIds.get(listed) ?? [];
    return known.length > 0 ? random.oneOf(known) : undefined;
  }

  /** Reads the ids of existing records from the lists that are prefixes of route paths. */
  async findIds(operations: readonly Operation[]): Promise<void> {
    const lists = new Set(
      operations.filter(({ inPath }) => inPath.length > 0).map(({ path }) => path.split('/{')[0]),
    );
    const readable = operations.filter(({ method, path }) => method === 'GET' && lists.has(path));
    for (const { path, caller } of readable) {
      const found = idsIn((await this.as(caller === 'admin' ? 'admin' : 'rich').get(path)).body);
      const others = caller === 'admin' ? [] : idsIn((await this.as('poor').get(path)).body);
      this.knownIds.set(
        path,
        [...found, ...others].filter((id) => !this.isMember(id)),
      );
    }
    this.knownIds.set('/api/webhooks', ['crypto2b', 'fireblocks']);
  }

  /** Resumes withdrawals that an attack has paused, so that later requests reach the handler. */
  async resume(): Promise<void> {
    await this.as('admin').post('/api/admin/integrity/resume', { reason: 'The next round' });
  }

  private isMember(id: string): boolean {
    return [...this.members.values()].some((member) => member.id === id);
  }
}

/** The `id` of each item of a list response. */
function idsIn(body: { data?: unknown }): string[] {
  const lists = Array.isArray(body.data) ? [body.data] : Object.values(body.data ?? {}).filter(Array.isArray);
  return (lists.flat() as { id?: unknown }[]).map(({ id }) => id).filter((id) => typeof id === 'string');
}
