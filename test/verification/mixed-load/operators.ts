import { Money } from '../../../src/common/money.js';
import type { OutsideWorld } from '../../../src/sandbox/outside-world.js';
import type { Reply } from '../../harness/http-client.js';
import type { SeededRandom } from '../../harness/seeded-random.js';
import { newHash } from '../../fixtures/provider-callbacks.js';
import { TRANSACTION_REQUESTS, ADMIN_TRANSACTIONS } from '../../fixtures/treasury.js';
import { ADMIN_WITHDRAWALS } from '../../fixtures/withdrawals.js';
import { isDone, type RetryingClient } from './client.js';
import type { OpenTasks } from './open-tasks.js';
import type { RecordedBooking, RecordedWithdrawal } from './expected-account.js';
import type { UserActor } from './users.js';

const INVESTMENTS = '/api/admin/investments';
const FOUR_EYES_ABOVE = Money.of('300');
const REPORT_AGAIN_MS = 3000;
const OVERTAKEN = ['INVALID_STATE', 'INVESTMENT_ALREADY_CLOSED', 'INVALID_AMOUNT'];

/** An operator with two admin accounts, as four-eyes approval requires; records the acknowledged actions. */
export class OperatorActor {
  constructor(
    private readonly token: string,
    private readonly other: string,
    private readonly client: RetryingClient,
    private readonly outside: OutsideWorld,
    private readonly openTasks: OpenTasks,
    /** Number of admin actions per record. */
    private readonly adminActions: Map<string, number>,
    private readonly users: readonly UserActor[],
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

  /** Brings a withdrawal to a final state, unless its user or another operator was faster. */
  private async settle(): Promise<void> {
    const task = this.openTasks.withdrawals.shift();
    if (!task) return;
    const recorded = task.of.expected.withdrawals.get(task.id) as RecordedWithdrawal;
    const act = async (verb: string, by = this.token, body?: object, fails: string[] = []) => {
      const method = verb === 'take' || verb === 'complete' ? 'POST' : 'PUT';
      const path = `${ADMIN_WITHDRAWALS}/${task.id}/${verb}`;
      const reply = await this.write(method, path, body, [...OVERTAKEN, ...fails], by);
      if (isDone(reply)) this.recordAction(task.id, recorded, verb);
      return isDone(reply);
    };
    const isLarge = !recorded.amount.isLessThan(FOUR_EYES_ABOVE);
    if (isLarge) await act('take', this.token, undefined, ['FOUR_EYES_REQUIRED']);
    const approved = isLarge || this.random.next() < 0.4 ? await act('approve', this.other) : undefined;
    if (approved === false) return;
    if (this.random.next() < 0.2) return void (await act('reject', this.token, { reason: 'No' }));
    const set = approved && this.random.next() < 0.5 ? await act('execute') : await act('take');
    if (!set) return;
    const choice = this.random.next();
    if (choice < 0.15) await act('reject', this.token, { reason: 'No' });
    else if (choice < 0.35) await this.reportFailure(task, recorded);
    else await act('complete', this.token, { txHash: newHash() });
  }

  /** Lets the provider report a failed payment until the report is processed, then reverses the withdrawal. */
  private async reportFailure(
    { id, of, amount }: OpenTasks['withdrawals'][number],
    recorded: RecordedWithdrawal,
  ): Promise<void> {
    const status = async () =>
      (await this.client.read({ token: this.token, method: 'GET', path: `${ADMIN_WITHDRAWALS}/${id}` })).data
        .status;
    for (let found = await status(); found !== 'failed'; found = await status()) {
      if (found !== 'processing') return; // another operator was faster
      const until = performance.now() + REPORT_AGAIN_MS;
      void this.outside.providers.deposits.reportWithdrawal(id, 'Failed', 'Liquidity');
      while (performance.now() < until && (await status()) === 'processing') await pause();
    }
    if (recorded.verbs.includes('fail')) return;
    recorded.verbs.push('fail');
    await this.bookFor(of, 'reversal', amount, { withdrawalId: id });
  }

  /** Approves, rejects, or closes an investment fully or partially. */
  private async decide(): Promise<void> {
    const task = this.openTasks.investments.shift();
    const recorded = task?.of.expected.investments.get(task.id);
    if (!task || !recorded) return;
    const path = `${INVESTMENTS}/${task.id}`;
    if (recorded.verbs.includes('wait')) {
      const verb = this.random.oneOf(['approve', 'approve', 'reject']);
      const body = verb === 'reject' ? { reason: 'No' } : undefined;
      const reply = await this.write('PUT', `${path}/${verb}`, body, OVERTAKEN);
      if (isDone(reply)) this.recordAction(task.id, recorded, verb);
      return;
    }
    if (this.random.next() < 0.5) return;
    const part = this.random.next() < 0.7 ? { amount: `${this.random.integer(1, 20)}.50` } : {};
    const reply = await this.write('POST', `${path}/close`, part, OVERTAKEN);
    if (!isDone(reply)) return;
    const { status, closedPrincipal, withdrawnAmount } = reply.data;
    recorded.closings.push({ principal: Money.of(closedPrincipal), paid: Money.of(withdrawnAmount) });
    if (status === 'completed') recorded.verbs.push('close');
    this.count(task.id);
  }

  private async book(): Promise<void> {
    const type = this.random.oneOf(['deposit', 'withdrawal'] as const);
    await this.bookFor(this.random.oneOf(this.users), type, `${this.random.integer(1, 90)}.25`, {});
  }

  /** Creates a booking with one account, approves it with the other, and confirms or rejects it. */
  private async bookFor(
    user: UserActor,
    type: RecordedBooking['type'],
    amount: string,
    more: { withdrawalId?: string },
  ): Promise<void> {
    const about = type === 'reversal' ? {} : { userId: user.id };
    const wish = { type, amount, currency: 'USDC', description: 'By hand', ...about, ...more };
    const asked = await this.write('POST', ADMIN_TRANSACTIONS, wish, OVERTAKEN);
    if (!isDone(asked)) return;
    const { id } = asked.data;
    const recorded: RecordedBooking = { type, amount: Money.of(amount), verbs: [] };
    user.expected.bookings.set(id, recorded);
    this.count(id);
    const act = async (verb: string, by: string, body?: object, fails: string[] = []) => {
      const reply = await this.write('POST', `${ADMIN_TRANSACTIONS}/${id}/${verb}`, body, fails, by);
      if (isDone(reply)) this.recordAction(id, recorded, verb);
      return isDone(reply);
    };
    if (this.random.next() < 0.2) await act('approve', this.token, undefined, ['FOUR_EYES_REQUIRED']);
    await act('approve', this.other);
    if (this.random.next() < 0.2 && type !== 'reversal') await act('reject', this.token, { reason: 'No' });
    else if (await act('confirm', this.token, {}, ['INSUFFICIENT_BALANCE'])) {
      if (more.withdrawalId) this.count(more.withdrawalId); // the reversal releases the withdrawal
    }
  }

  /** Plans a treasury run and carries out its transfers. */
  private async moveTreasury(): Promise<void> {
    const run = await this.write('POST', `${ADMIN_TRANSACTIONS}/generate`, {});
    for (const { id } of run.data?.transactions ?? [])
      await this.write('POST', `${ADMIN_TRANSACTIONS}/${id}/approve`, undefined, OVERTAKEN, this.other);
    const handed = await this.write('POST', `${ADMIN_TRANSACTIONS}/execute`, {});
    for (const { id } of handed.data?.requests ?? [])
      await this.write('POST', `${TRANSACTION_REQUESTS}/${id}/complete`, { txHash: newHash() }, OVERTAKEN);
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

  private recordAction(id: string, recorded: { readonly verbs: string[] }, verb: string): void {
    recorded.verbs.push(verb);
    this.count(id);
  }

  private count(id: string): void {
    this.adminActions.set(id, (this.adminActions.get(id) ?? 0) + 1);
  }
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 50));
}
