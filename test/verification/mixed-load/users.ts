import { Money } from '../../../src/common/money.js';
import { SANDBOX_SETTINGS } from '../../../src/sandbox/sandbox-settings.js';
import { signedHeaders } from '../../../src/sandbox/signature.js';
import type { OutsideWorld } from '../../../src/sandbox/outside-world.js';
import type { SeededRandom } from '../../harness/seeded-random.js';
import { depositBody, newHash, newProviderId } from '../../fixtures/provider-callbacks.js';
import { DESTINATION } from '../../fixtures/withdrawals.js';
import { isDone, type RetryingClient } from './client.js';
import { ExpectedAccount, investmentStatus, withdrawalStatus } from './expected-account.js';
import { shuffled } from './faults.js';

const INVESTMENTS = '/api/user/investments';
const WITHDRAWALS = '/api/user/withdrawals';
const CALLBACK = `/api/webhooks/${SANDBOX_SETTINGS.DEPOSIT_PROVIDER_NAME}/deposit`;
const STRATEGIES = ['conservative-5', 'balanced-10', 'aggressive-20'];
const REFUSALS_IF_ENDED = ['INVALID_STATE', 'INVESTMENT_ALREADY_CLOSED'];

/** Records that wait for operators. */
export interface OpenTasks {
  readonly withdrawals: { id: string; amount: string; user: UserActor }[];
  readonly investments: { id: string; user: UserActor }[];
}

/** A user who sends random requests in sequence and records the responses. */
export class UserActor {
  readonly expected = new ExpectedAccount();
  private address = '';

  private constructor(
    readonly id: string,
    readonly token: string,
    private readonly email: string,
    private readonly client: RetryingClient,
    private readonly outside: OutsideWorld,
    private readonly openTasks: OpenTasks,
    private readonly random: SeededRandom,
  ) {}

  static async create(
    email: string,
    client: RetryingClient,
    outside: OutsideWorld,
    openTasks: OpenTasks,
    random: SeededRandom,
  ): Promise<UserActor> {
    const { token, user } = await signIn(client, outside, email);
    const actor = new UserActor(user.id, token, email, client, outside, openTasks, random);
    const path = '/api/user/deposits/address?currency=USDT&network=TRC20';
    actor.address = (await client.read({ token, method: 'GET', path })).data.address;
    await actor.pay('5000');
    await actor.sendCallbacks('5000');
    return actor;
  }

  async act(): Promise<void> {
    const amount = this.amount(10, 400);
    await this.random.oneOf([
      () => this.pay(this.amount(500, 900)),
      () => this.sendCallbacks(this.amount(500, 900)),
      () => this.invest(amount),
      () => this.invest(amount),
      () => this.invest(this.amount(800, 1200)), // an admin must approve it
      () => this.endInvestment('close'),
      () => this.endInvestment('cancel'),
      () => this.endInvestment('move'),
      () => this.withdraw(amount),
      () => this.withdraw(amount),
      () => this.withdraw('900000'), // more than any user has
      () => this.cancelWithdrawal(),
      () => this.checkBalance(),
      () => signIn(this.client, this.outside, this.email), // this token is not used: all requests carry the first one
    ])();
  }

  /** Pays to the deposit address; the deposit provider reports the payment by callbacks. */
  private async pay(amount: string): Promise<void> {
    const { txHash } = await this.outside.providers.deposits.pay(this.address, amount);
    this.expected.deposits.set(txHash, Money.of(amount));
  }

  /** Reports a payment that the provider does not know by three callbacks, one of them twice, in random order or at once. */
  private async sendCallbacks(amount: string): Promise<void> {
    const transfer = { id: newProviderId(), hash: newHash(), amount, address: this.address };
    const steps = [
      { ...transfer, status: 'Pending', confirmations: 0 },
      { ...transfer, status: 'Processing', confirmations: 12 },
      { ...transfer, status: 'Success', confirmations: 20 },
    ].map(depositBody);
    const bodies = shuffled([...steps, this.random.oneOf(steps)], this.random);
    const credentials = {
      key: SANDBOX_SETTINGS.DEPOSIT_PROVIDER_KEY,
      secret: SANDBOX_SETTINGS.DEPOSIT_PROVIDER_SECRET,
    };
    const send = async (body: string) => {
      const headers = (url: string) => signedHeaders(credentials, { method: 'POST', url, body });
      const callback = { token: null, method: 'POST', path: CALLBACK, body, headers };
      // A signature is valid for five seconds and can expire at a suspended process: the callback is signed again.
      while (!isDone(await this.client.read(callback, ['WEBHOOK_SIGNATURE_INVALID']))) continue;
    };
    if (this.random.next() < 0.5) await Promise.all(bodies.map(send));
    else for (const body of bodies) await send(body);
    this.expected.deposits.set(transfer.hash, Money.of(amount));
  }

  private async invest(amount: string): Promise<void> {
    const body = { strategyId: this.random.oneOf(STRATEGIES), amount };
    const reply = await this.write('POST', INVESTMENTS, body, ['INSUFFICIENT_BALANCE']);
    if (!isDone(reply)) return;
    const { id, status } = reply.data;
    this.expected.addInvestment(id, amount, status);
    this.openTasks.investments.push({ id, user: this });
  }

  private async endInvestment(verb: 'close' | 'cancel' | 'move'): Promise<void> {
    const open = [...this.expected.investments].filter(([, recorded]) =>
      ['active', 'pending'].includes(investmentStatus(recorded)),
    );
    if (open.length === 0) return;
    const [id, recorded] = this.random.oneOf(open);
    const strategyId = this.random.oneOf(STRATEGIES);
    const path = `${INVESTMENTS}/${id}`;
    const requests = {
      close: () => this.write('DELETE', path, undefined, REFUSALS_IF_ENDED),
      cancel: () => this.write('POST', `${path}/cancel`, undefined, REFUSALS_IF_ENDED),
      move: () => this.write('PUT', path, { strategyId }, [...REFUSALS_IF_ENDED, 'INVALID_STRATEGY']),
    };
    const reply = await requests[verb]();
    if (!isDone(reply)) return;
    recorded.verbs.push(verb);
    const { data } = reply;
    if (verb === 'close') {
      const principal = Money.of(data.initialInvestment);
      const paid = Money.of(data.withdrawnAmount);
      recorded.closings.push({ principal, paid });
    }
    if (verb === 'move') {
      const isMoved = true;
      this.expected.addInvestment(data.id, data.amount, data.status, isMoved);
    }
  }

  private async withdraw(amount: string): Promise<void> {
    const body = { amount, currency: 'USDC', toAddress: DESTINATION };
    const reply = await this.write('POST', WITHDRAWALS, body, ['INSUFFICIENT_BALANCE']);
    if (!isDone(reply)) return;
    this.expected.addWithdrawal(reply.data.id, amount);
    const task = { id: reply.data.id, amount, user: this };
    this.openTasks.withdrawals.push(task);
    if (this.random.next() < 0.2) this.openTasks.withdrawals.push(task); // two operators compete for it
  }

  private async cancelWithdrawal(): Promise<void> {
    const open = [...this.expected.withdrawals].filter(
      ([, recorded]) => withdrawalStatus(recorded) === 'pending',
    );
    if (open.length === 0) return;
    const [id, recorded] = this.random.oneOf(open);
    const reply = await this.write('POST', `${WITHDRAWALS}/${id}/cancel`, undefined, REFUSALS_IF_ENDED);
    if (isDone(reply)) recorded.verbs.push('cancel');
  }

  /** Checks that `total` is the sum of `available` and `invested`. */
  private async checkBalance(): Promise<void> {
    const { data } = await this.client.read({ token: this.token, method: 'GET', path: '/api/user/balance' });
    const sum = Money.of(data.available).plus(Money.of(data.invested));
    if (data.total !== sum.toWire())
      this.client.inconsistencies.push(`a balance does not add up: ${data.total}`);
  }

  private write(method: string, path: string, body: object | undefined, allowed: string[]) {
    return this.client.write({ token: this.token, method, path, ...(body ? { body } : {}) }, allowed);
  }

  private amount(least: number, most: number): string {
    return `${this.random.integer(least, most)}.${String(this.random.integer(0, 999_999)).padStart(6, '0')}`;
  }
}

export async function signIn(
  client: RetryingClient,
  outside: OutsideWorld,
  email: string,
): Promise<{ token: string; user: { id: string } }> {
  const jwt = await outside.providers.identity.token({ email, name: 'Test Person' });
  const headers = () => ({ authorization: `Bearer ${jwt}` });
  return (await client.read({ token: null, method: 'POST', path: '/api/auth/idp/login', headers })).data;
}
