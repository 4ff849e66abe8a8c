import { Money } from '../../../src/common/money.js';
import type { OutsideWorld } from '../../../src/sandbox/outside-world.js';
import type { Reply } from '../../harness/http-client.js';
import type { SeededRandom } from '../../harness/seeded-random.js';
import { newHash } from '../../fixtures/provider-callbacks.js';
import { TRANSACTION_REQUESTS, ADMIN_TRANSACTIONS } from '../../fixtures/treasury.js';
import { ADMIN_WITHDRAWALS } from '../../fixtures/withdrawals.js';
import { isDone, type Client } from './client.js';
import type { Desk } from './desk.js';
import type { ToldBooking, ToldWithdrawal } from './expected.js';
import type { LoadedUser } from './users.js';

const INVESTMENTS = '/api/admin/investments';
const FOUR_EYES_ABOVE = Money.of('300');
const REPORT_AGAIN_MS = 3000;
const GONE = ['INVALID_STATE', 'INVESTMENT_ALREADY_CLOSED', 'INVALID_AMOUNT'];

/** Two admins of whom each acts for the other where four eyes are needed; they keep books of what they did. */
export class LoadedOperator {
  constructor(
    private readonly token: string,
    private readonly other: string,
    private readonly client: Client,
    private readonly outside: OutsideWorld,
    private readonly desk: Desk,
    /** How often each thing was acted upon by an admin. */
    private readonly deeds: Map<string, number>,
    private readonly users: readonly LoadedUser[],
    private readonly random: SeededRandom,
  ) {}

  async act(): Promise<void> {
    await this.random.oneOf([
      () => this.settle(),
      () => this.settle(),
      () => this.settle(),
      () => this.decide(),
      () => this.decide(),
      () => this.book(),
      () => this.moveTreasury(),
      () => this.reportYield(),
    ])();
  }

  /** Brings a withdrawal to one of its ends, unless its user or another operator was first. */
  private async settle(): Promise<void> {
    const task = this.desk.withdrawals.shift();
    if (!task) return;
    const told = task.of.expected.withdrawals.get(task.id) as ToldWithdrawal;
    const act = async (verb: string, by = this.token, body?: object, fails: string[] = []) => {
      const method = verb === 'take' || verb === 'complete' ? 'POST' : 'PUT';
      const path = `${ADMIN_WITHDRAWALS}/${task.id}/${verb}`;
      const reply = await this.write(method, path, body, [...GONE, ...fails], by);
      if (isDone(reply)) this.note(task.id, told, verb);
      return isDone(reply);
    };
    const isLarge = !told.amount.isLessThan(FOUR_EYES_ABOVE);
    if (isLarge) await act('take', this.token, undefined, ['FOUR_EYES_REQUIRED']);
    const approved = isLarge || this.random.next() < 0.4 ? await act('approve', this.other) : undefined;
    if (approved === false) return;
    if (this.random.next() < 0.2) return void (await act('reject', this.token, { reason: 'No' }));
    const set = approved && this.random.next() < 0.5 ? await act('execute') : await act('take');
    if (!set) return;
    const end = this.random.next();
    if (end < 0.15) await act('reject', this.token, { reason: 'No' });
    else if (end < 0.35) await this.fail(task, told);
    else await act('complete', this.token, { txHash: newHash() });
  }

  /** The provider reports that it could not pay, as often as it takes to be heard; then the money is given back. */
  private async fail({ id, of, amount }: Desk['withdrawals'][number], told: ToldWithdrawal): Promise<void> {
    const status = async () =>
      (await this.client.read({ token: this.token, method: 'GET', path: `${ADMIN_WITHDRAWALS}/${id}` })).data
        .status;
    for (let found = await status(); found !== 'failed'; found = await status()) {
      if (found !== 'processing') return; // another operator, who goes for it, too
      const until = performance.now() + REPORT_AGAIN_MS;
      void this.outside.providers.deposits.reportWithdrawal(id, 'Failed', 'Liquidity');
      while (performance.now() < until && (await status()) === 'processing') await pause();
    }
    if (told.verbs.includes('fail')) return;
    told.verbs.push('fail');
    await this.bookFor(of, 'reversal', amount, { withdrawalId: id });
  }

  /** Approves, rejects or closes an investment, in part or all of it. */
  private async decide(): Promise<void> {
    const task = this.desk.investments.shift();
    const told = task?.of.expected.investments.get(task.id);
    if (!task || !told) return;
    const path = `${INVESTMENTS}/${task.id}`;
    if (told.verbs.includes('wait')) {
      const verb = this.random.oneOf(['approve', 'approve', 'reject']);
      const body = verb === 'reject' ? { reason: 'No' } : undefined;
      const reply = await this.write('PUT', `${path}/${verb}`, body, GONE);
      if (isDone(reply)) this.note(task.id, told, verb);
      return;
    }
    if (this.random.next() < 0.5) return;
    const part = this.random.next() < 0.7 ? { amount: `${this.random.integer(1, 20)}.50` } : {};
    const reply = await this.write('POST', `${path}/close`, part, GONE);
    if (!isDone(reply)) return;
    const { status, closedPrincipal, withdrawnAmount } = reply.data;
    told.closings.push({ principal: Money.of(closedPrincipal), paid: Money.of(withdrawnAmount) });
    if (status === 'completed') told.verbs.push('close');
    this.count(task.id);
  }

  private async book(): Promise<void> {
    const type = this.random.oneOf(['deposit', 'withdrawal'] as const);
    await this.bookFor(this.random.oneOf(this.users), type, `${this.random.integer(1, 90)}.25`, {});
  }

  /** Asked for by one, approved by the other, confirmed or rejected. */
  private async bookFor(
    user: LoadedUser,
    type: ToldBooking['type'],
    amount: string,
    more: { withdrawalId?: string },
  ): Promise<void> {
    const about = type === 'reversal' ? {} : { userId: user.id };
    const wish = { type, amount, currency: 'USDC', description: 'By hand', ...about, ...more };
    const asked = await this.write('POST', ADMIN_TRANSACTIONS, wish, GONE);
    if (!isDone(asked)) return;
    const { id } = asked.data;
    const told: ToldBooking = { type, amount: Money.of(amount), verbs: [] };
    user.expected.bookings.set(id, told);
    this.count(id);
    const act = async (verb: string, by: string, body?: object, fails: string[] = []) => {
      const reply = await this.write('POST', `${ADMIN_TRANSACTIONS}/${id}/${verb}`, body, fails, by);
      if (isDone(reply)) this.note(id, told, verb);
      return isDone(reply);
    };
    if (this.random.next() < 0.2) await act('approve', this.token, undefined, ['FOUR_EYES_REQUIRED']);
    await act('approve', this.other);
    if (this.random.next() < 0.2 && type !== 'reversal') await act('reject', this.token, { reason: 'No' });
    else if (await act('confirm', this.token, {}, ['INSUFFICIENT_BALANCE'])) {
      if (more.withdrawalId) this.count(more.withdrawalId); // it is released by that
    }
  }

  /** A run of the treasury, and every step of what comes of it. */
  private async moveTreasury(): Promise<void> {
    const run = await this.write('POST', `${ADMIN_TRANSACTIONS}/generate`, {});
    for (const { id } of run.data?.transactions ?? [])
      await this.write('POST', `${ADMIN_TRANSACTIONS}/${id}/approve`, undefined, GONE, this.other);
    const handed = await this.write('POST', `${ADMIN_TRANSACTIONS}/execute`, {});
    for (const { id } of handed.data?.requests ?? [])
      await this.write('POST', `${TRANSACTION_REQUESTS}/${id}/complete`, { txHash: newHash() }, GONE);
  }

  private async reportYield(): Promise<void> {
    const day = this.outside.providers.clock.now().toISOString().slice(0, 10);
    this.outside.providers.custody.report({
      strategyId: 'balanced-10',
      day,
      apy: '10.5',
      realisedAmount: '1',
    });
  }

  private async write(
    method: string,
    path: string,
    body?: object,
    allowed: string[] = [],
    token = this.token,
  ): Promise<Reply> {
    return this.client.write({ token, method, path, ...(body ? { body } : {}) }, allowed);
  }

  private note(id: string, told: { readonly verbs: string[] }, verb: string): void {
    told.verbs.push(verb);
    this.count(id);
  }

  private count(id: string): void {
    this.deeds.set(id, (this.deeds.get(id) ?? 0) + 1);
  }
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 50));
}
