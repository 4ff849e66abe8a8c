import { Money } from '../../../src/common/money.js';
import { SANDBOX_SETTINGS } from '../../../src/sandbox/sandbox-settings.js';
import { signedHeaders } from '../../../src/sandbox/signature.js';
import type { OutsideWorld } from '../../../src/sandbox/outside-world.js';
import type { SeededRandom } from '../../harness/seeded-random.js';
import { depositBody, newHash, newProviderId } from '../../fixtures/provider-callbacks.js';
import { DESTINATION } from '../../fixtures/withdrawals.js';
import { isDone, type Client } from './client.js';
import type { Desk } from './desk.js';
import { Expected, investmentStatus, withdrawalStatus } from './expected.js';
import { shuffled } from './faults.js';

const INVESTMENTS = '/api/user/investments';
const WITHDRAWALS = '/api/user/withdrawals';
const CALLBACK = `/api/webhooks/${SANDBOX_SETTINGS.DEPOSIT_PROVIDER_NAME}/deposit`;
const STRATEGIES = ['conservative-5', 'balanced-10', 'aggressive-20'];
const ENDED = ['INVALID_STATE', 'INVESTMENT_ALREADY_CLOSED'];

/** A user who does one thing after the other, and keeps books of the answers. */
export class LoadedUser {
  readonly expected = new Expected();
  private address = '';

  private constructor(
    readonly id: string,
    readonly token: string,
    private readonly email: string,
    private readonly client: Client,
    private readonly outside: OutsideWorld,
    private readonly desk: Desk,
    private readonly random: SeededRandom,
  ) {}

  static async begin(
    email: string,
    client: Client,
    outside: OutsideWorld,
    desk: Desk,
    random: SeededRandom,
  ): Promise<LoadedUser> {
    const { token, user } = await signIn(client, outside, email);
    const one = new LoadedUser(user.id, token, email, client, outside, desk, random);
    const path = '/api/user/deposits/address?currency=USDT&network=TRC20';
    one.address = (await client.read({ token, method: 'GET', path })).data.address;
    await one.pay('5000');
    await one.tell('5000');
    return one;
  }

  async act(): Promise<void> {
    const amount = this.amount(10, 400);
    await this.random.oneOf([
      () => this.pay(this.amount(500, 900)),
      () => this.tell(this.amount(500, 900)),
      () => this.invest(amount),
      () => this.invest(amount),
      () => this.invest(this.amount(800, 1200)), // an admin has to approve it
      () => this.end('close'),
      () => this.end('cancel'),
      () => this.end('move'),
      () => this.withdraw(amount),
      () => this.withdraw(amount),
      () => this.withdraw('900000'), // nobody has that much
      () => this.cancelWithdrawal(),
      () => this.look(),
      () => signIn(this.client, this.outside, this.email),
    ])();
  }

  /** A payment that the provider sees, tells of and is asked about. */
  private async pay(amount: string): Promise<void> {
    const { txHash } = await this.outside.providers.deposits.pay(this.address, amount);
    this.expected.deposits.set(txHash, Money.of(amount));
  }

  /** A payment that the provider tells of in three callbacks, in any order, some twice, and never again. */
  private async tell(amount: string): Promise<void> {
    const told = { id: newProviderId(), hash: newHash(), amount, address: this.address };
    const steps = [
      { ...told, status: 'Pending', confirmations: 0 },
      { ...told, status: 'Processing', confirmations: 12 },
      { ...told, status: 'Success', confirmations: 20 },
    ].map(depositBody);
    const bodies = shuffled([...steps, this.random.oneOf(steps)], this.random);
    const credentials = {
      key: SANDBOX_SETTINGS.DEPOSIT_PROVIDER_KEY,
      secret: SANDBOX_SETTINGS.DEPOSIT_PROVIDER_SECRET,
    };
    const send = async (body: string) => {
      const headers = (url: string) => signedHeaders(credentials, { method: 'POST', url, body });
      const callback = { token: null, method: 'POST', path: CALLBACK, body, headers };
      // what waited for longer than its signature is good is sent anew
      while (!isDone(await this.client.read(callback, ['WEBHOOK_SIGNATURE_INVALID']))) continue;
    };
    if (this.random.next() < 0.5) await Promise.all(bodies.map(send));
    else for (const body of bodies) await send(body);
    this.expected.deposits.set(told.hash, Money.of(amount));
  }

  private async invest(amount: string): Promise<void> {
    const body = { strategyId: this.random.oneOf(STRATEGIES), amount };
    const reply = await this.write('POST', INVESTMENTS, body, ['INSUFFICIENT_BALANCE']);
    if (!isDone(reply)) return;
    const { id, status } = reply.data;
    this.expected.invested(id, amount, status);
    this.desk.investments.push({ id, of: this });
  }

  private async end(verb: 'close' | 'cancel' | 'move'): Promise<void> {
    const open = [...this.expected.investments].filter(([, told]) =>
      ['active', 'pending'].includes(investmentStatus(told)),
    );
    if (open.length === 0) return;
    const [id, told] = this.random.oneOf(open);
    const strategyId = this.random.oneOf(STRATEGIES);
    const path = `${INVESTMENTS}/${id}`;
    const reply = await {
      close: () => this.write('DELETE', path, undefined, ENDED),
      cancel: () => this.write('POST', `${path}/cancel`, undefined, ENDED),
      move: () => this.write('PUT', path, { strategyId }, [...ENDED, 'INVALID_STRATEGY']),
    }[verb]();
    if (!isDone(reply)) return;
    told.verbs.push(verb);
    const { data } = reply;
    if (verb === 'close') {
      const [principal, paid] = [Money.of(data.initialInvestment), Money.of(data.withdrawnAmount)];
      told.closings.push({ principal, paid });
    }
    if (verb === 'move') this.expected.invested(data.id, data.amount, data.status, true);
  }

  private async withdraw(amount: string): Promise<void> {
    const body = { amount, currency: 'USDC', toAddress: DESTINATION };
    const reply = await this.write('POST', WITHDRAWALS, body, ['INSUFFICIENT_BALANCE']);
    if (!isDone(reply)) return;
    this.expected.withdrawn(reply.data.id, amount);
    const task = { id: reply.data.id, amount, of: this };
    this.desk.withdrawals.push(task);
    if (this.random.next() < 0.2) this.desk.withdrawals.push(task); // two operators go for it
  }

  private async cancelWithdrawal(): Promise<void> {
    const open = [...this.expected.withdrawals].filter(([, told]) => withdrawalStatus(told) === 'pending');
    if (open.length === 0) return;
    const [id, told] = this.random.oneOf(open);
    const reply = await this.write('POST', `${WITHDRAWALS}/${id}/cancel`, undefined, ENDED);
    if (isDone(reply)) told.verbs.push('cancel');
  }

  /** At any time, the balance adds up. */
  private async look(): Promise<void> {
    const { data } = await this.client.read({ token: this.token, method: 'GET', path: '/api/user/balance' });
    const sum = Money.of(data.available).plus(Money.of(data.invested));
    if (data.total !== sum.toWire()) this.client.surprises.push(`a balance does not add up: ${data.total}`);
  }

  private write(method: string, path: string, body: object | undefined, allowed: string[]) {
    return this.client.write({ token: this.token, method, path, ...(body ? { body } : {}) }, allowed);
  }

  private amount(least: number, most: number): string {
    return `${this.random.integer(least, most)}.${String(this.random.integer(0, 999_999)).padStart(6, '0')}`;
  }
}

export async function signIn(
  client: Client,
  outside: OutsideWorld,
  email: string,
): Promise<{ token: string; user: { id: string } }> {
  const jwt = await outside.providers.identity.token({ email, name: 'Test Person' });
  const headers = () => ({ authorization: `Bearer ${jwt}` });
  return (await client.read({ token: null, method: 'POST', path: '/api/auth/idp/login', headers })).data;
}
