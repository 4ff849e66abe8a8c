import type { SeededRandom } from '../../harness/seeded-random.js';
import type { TestPlatform } from '../../harness/platform.js';
import { DESTINATION } from '../../fixtures/withdrawals.js';
import type { Operation } from './operations.js';

interface Member {
  id?: string;
  token: string;
}

const ADMINS = ['admin', 'admin2', 'operator', 'support', 'readonly'] as const;
const EVERYBODY = ['nobody', 'rich', 'poor', ...ADMINS] as const;

/** Calls that end the session they are made with: a token of their own for each. */
const ENDS_SESSION = /logout/;

/** Everybody who sends requests, and the ids of what is there. */
export class Cast {
  private readonly members = new Map<string, Member>();
  private readonly ids = new Map<string, string[]>();

  private constructor(
    private readonly platform: TestPlatform,
    private readonly at: string,
  ) {}

  /** Two users, one with money in every state; the sandbox's admins. */
  static async on(platform: TestPlatform, at: string): Promise<Cast> {
    const cast = new Cast(platform, at);
    // not of the addresses that the cleaning up of test data takes for its own
    const [rich, poor] = [
      await platform.given.user('rich@mail.example.net').withBalance('500000.00'),
      await platform.given.user('poor@mail.example.net'),
    ];
    cast.members.set('rich', rich).set('poor', poor);
    for (const name of ADMINS) cast.members.set(name, await platform.given.admin(name));
    for (let i = 0; i < 5; i++) {
      const order = { amount: `${20 + i}.00`, currency: 'USDC', toAddress: DESTINATION };
      await cast.as('rich').post('/api/user/withdrawals', order);
      await cast
        .as('rich')
        .post('/api/user/investments', { strategyId: 'balanced-10', amount: `${200 + i}.00` });
      await cast.as('admin').post('/api/admin/users', { email: `made-${i}@mail.example.net` });
    }
    for (const name of ['rich', 'poor'])
      // without an address of their own nobody can claim a deposit
      await cast.as(name).get('/api/user/deposits/address?currency=USDC&network=ERC20');
    await cast
      .as('rich')
      .post('/api/user/webhooks', { url: 'http://127.0.0.1:9/', events: ['deposit.completed'] });
    return cast;
  }

  as(name: string) {
    return this.platform.as(this.members.get(name) ?? null, this.at);
  }

  /** Mostly somebody who may call it, so that the request gets far. */
  callerOf(operation: Operation, random: SeededRandom): string {
    if (random.next() < 0.25) return random.oneOf(EVERYBODY);
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
    const known = this.ids.get(listed) ?? [];
    return known.length > 0 ? random.oneOf(known) : undefined;
  }

  /** Looks up what there is by now, in each list that a route's path begins with. */
  async lookAround(operations: readonly Operation[]): Promise<void> {
    const lists = new Set(
      operations.filter(({ inPath }) => inPath.length > 0).map(({ path }) => path.split('/{')[0]),
    );
    const readable = operations.filter(({ method, path }) => method === 'GET' && lists.has(path));
    for (const { path, caller } of readable) {
      const found = idsIn((await this.as(caller === 'admin' ? 'admin' : 'rich').get(path)).body);
      const others = caller === 'admin' ? [] : idsIn((await this.as('poor').get(path)).body);
      this.ids.set(
        path,
        [...found, ...others].filter((id) => !this.isMember(id)),
      );
    }
    this.ids.set('/api/webhooks', ['crypto2b', 'fireblocks']);
  }

  /** What an admin has paused is resumed, so that the next requests get as far as the first. */
  async resume(): Promise<void> {
    await this.as('admin').post('/api/admin/integrity/resume', { reason: 'The next round' });
  }

  private isMember(id: string): boolean {
    return [...this.members.values()].some((member) => member.id === id);
  }
}

/** Every `id` at the top of what a list answers. */
function idsIn(body: { data?: unknown }): string[] {
  const lists = Array.isArray(body.data) ? [body.data] : Object.values(body.data ?? {}).filter(Array.isArray);
  return (lists.flat() as { id?: unknown }[]).map(({ id }) => id).filter((id) => typeof id === 'string');
}
