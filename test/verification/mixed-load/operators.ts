import { setTimeout as sleep } from 'node:timers/promises';
import { Money } from '../../../src/common/money.js';
import type { OutsideWorld } from '../../../src/sandbox/outside-world.js';
import type { Reply } from '../../harness/http-client.js';
import type { SeededRandom } from '../../harness/seeded-random.js';
import { newHash } from '../../fixtures/provider-callbacks.js';
import { TRANSACTION_REQUESTS, ADMIN_TRANSACTIONS } from '../../fixtures/treasury.js';
import { ADMIN_WITHDRAWALS } from '../../fixtures/withdrawals.js';
import { isDone, type RetryingClient } from './client.js';
import type { RecordedBooking, RecordedWithdrawal } from './expected-account.js';
import type { OpenTasks, UserActor } from './users.js';

const INVESTMENTS = '/api/admin/investments';
/** The least amount that needs four eyes: the setting WITHDRAWAL_FOUR_EYES_ABOVE (environment.ts) includes the amount itself. */
const FOUR_EYES_FROM = Money.of('300');
const REPORT_AGAIN_MS = 3000;
const POLL_INTERVAL_MS = 50;
/** Codes of a request whose record another actor has changed. */
const CODES_IF_OVERTAKEN = ['INVALID_STATE', 'INVESTMENT_ALREADY_CLOSED', 'INVALID_AMOUNT'];

/** An operator with two admin accounts, as four-eyes approval requires; records the acknowledged actions. */
export class OperatorActor {
  constructor(
    private readonly token: string,
    /** Token of the second account. */
    private readonly approverToken: string,
    private readonly client: RetryingClient,
    private readonly outside: OutsideWorld,
    private readonly openTasks: OpenTasks,
    /** Number of acknowledged admin actions by the id of the record. */
    private readonly adminActions: Map<string, number>,
    private readonly users: readonly UserActor[],
    private readonly random: SeededRandom,
  ) {}

  async act(): Promise<void> {
    await this.random.oneOf([
      () => this.processWithdrawal(),
      () => this.processWithdrawal(),
      () => this.processWithdrawal(),
      () => this.processInvestment(),
      () => this.processInvestment(),
      () => this.createBooking(),
      () => this.performTreasuryRun(),
      () => this.reportYield(),
    ])();
  }

  /** Brings a withdrawal to a final state, unless its user or another operator was faster. */
  private async processWithdrawal(): Promise<void> {
    const task = this.openTasks.withdrawals.shift();
    if (!task) return;
    const recorded = task.user.expected.withdrawals.get(task.id) as RecordedWithdrawal;
    const send = async (verb: string, token = this.token, body?: object, codes: string[] = []) => {
      const method = verb === 'take' || verb === 'complete' ? 'POST' : 'PUT';
      const path = `${ADMIN_WITHDRAWALS}/${task.id}/${verb}`;
      const reply = await this.write(method, path, body, [...CODES_IF_OVERTAKEN, ...codes], token);
      if (isDone(reply)) this.recordAction(task.id, recorded, verb);
      return isDone(reply);
    };
    const isLarge = !recorded.amount.isLessThan(FOUR_EYES_FROM);
    // Taking a large withdrawal before its approval is refused.
    if (isLarge) await send('take', this.token, undefined, ['FOUR_EYES_REQUIRED']);
    const approved =
      isLarge || this.random.next() < 0.4 ? await send('approve', this.approverToken) : undefined;
    if (approved === false) return;
    if (this.random.next() < 0.2) {
      await send('reject', this.token, { reason: 'No' });
      return;
    }
    const isTaken = approved && this.random.next() < 0.5 ? await send('execute') : await send('take');
    if (!isTaken) return;
    const choice = this.random.next();
    if (choice < 0.15) await send('reject', this.token, { reason: 'No' });
    else if (choice < 0.35) await this.reportFailure(task, recorded);
    else await send('complete', this.token, { txHash: newHash() });
  }

  /**
   * The provider reports a failed payment until the report is processed, since a fault may drop a callback. Then the
   * operator reverses the withdrawal.
   */
  private async reportFailure(
    { id, user, amount }: OpenTasks['withdrawals'][number],
    recorded: RecordedWithdrawal,
  ): Promise<void> {
    const status = async () =>
      (await this.client.read({ token: this.token, method: 'GET', path: `${ADMIN_WITHDRAWALS}/${id}` })).data
        .status;
    for (let current = await status(); current !== 'failed'; current = await status()) {
      if (current !== 'processing') return; // another operator was faster
      const until = performance.now() + REPORT_AGAIN_MS;
      void this.outside.providers.deposits.reportWithdrawal(id, 'Failed', 'Liquidity');
      while (performance.now() < until && (await status()) === 'processing') await sleep(POLL_INTERVAL_MS);
    }
    if (recorded.verbs.includes('fail')) return; // another operator reverses the withdrawal
    recorded.verbs.push('fail');
    await this.processBooking(user, 'reversal', amount, { withdrawalId: id });
  }

  /** Approves or rejects a pending investment; closes half of the active ones, fully or partially. */
  private async processInvestment(): Promise<void> {
    const task = this.openTasks.investments.shift();
    const recorded = task?.user.expected.investments.get(task.id);
    if (!task || !recorded) return;
    const path = `${INVESTMENTS}/${task.id}`;
    if (recorded.verbs.includes('wait')) {
      // It was created as pending.
      const verb = this.random.oneOf(['approve', 'approve', 'reject']);
      const body = verb === 'reject' ? { reason: 'No' } : undefined;
      const reply = await this.write('PUT', `${path}/${verb}`, body, CODES_IF_OVERTAKEN);
      if (isDone(reply)) this.recordAction(task.id, recorded, verb);
      return;
    }
    if (this.random.next() < 0.5) return;
    const body = this.random.next() < 0.7 ? { amount: `${this.random.integer(1, 20)}.50` } : {};
    const reply = await this.write('POST', `${path}/close`, body, CODES_IF_OVERTAKEN);
    if (!isDone(reply)) return;
    const { status, closedPrincipal, withdrawnAmount } = reply.data;
    recorded.closings.push({ principal: Money.of(closedPrincipal), paid: Money.of(withdrawnAmount) });
    if (status === 'completed') recorded.verbs.push('close');
    this.countAction(task.id);
  }

  private async createBooking(): Promise<void> {
    const type = this.random.oneOf(['deposit', 'withdrawal'] as const);
    await this.processBooking(this.random.oneOf(this.users), type, `${this.random.integer(1, 90)}.25`, {});
  }

  /** Creates a transaction by hand ("booking") with one account, approves it with the other one, and confirms or rejects it with the first one. */
  private async processBooking(
    user: UserActor,
    type: RecordedBooking['type'],
    amount: string,
    more: { withdrawalId?: string },
  ): Promise<void> {
    const subject = type === 'reversal' ? {} : { userId: user.id };
    const body = { type, amount, currency: 'USDC', description: 'By hand', ...subject, ...more };
    const created = await this.write('POST', ADMIN_TRANSACTIONS, body, CODES_IF_OVERTAKEN);
    if (!isDone(created)) return;
    const { id } = created.data;
    const recorded: RecordedBooking = { type, amount: Money.of(amount), verbs: [] };
    user.expected.bookings.set(id, recorded);
    this.countAction(id);
    const send = async (verb: string, token: string, body?: object, codes: string[] = []) => {
      const reply = await this.write('POST', `${ADMIN_TRANSACTIONS}/${id}/${verb}`, body, codes, token);
      if (isDone(reply)) this.recordAction(id, recorded, verb);
      return isDone(reply);
    };
    // An admin may not approve a transaction that they created.
    if (this.random.next() < 0.2) await send('approve', this.token, undefined, ['FOUR_EYES_REQUIRED']);
    await send('approve', this.approverToken);
    if (this.random.next() < 0.2 && type !== 'reversal') await send('reject', this.token, { reason: 'No' });
    else if (await send('confirm', this.token, {}, ['INSUFFICIENT_BALANCE'])) {
      if (more.withdrawalId) this.countAction(more.withdrawalId); // the release is audited, too
    }
  }

  /** Plans a treasury run and carries out its transfers. */
  private async performTreasuryRun(): Promise<void> {
    const planned = await this.write('POST', `${ADMIN_TRANSACTIONS}/generate`, {});
    for (const { id } of planned.data?.transactions ?? [])
      await this.write(
        'POST',
        `${ADMIN_TRANSACTIONS}/${id}/approve`,
        undefined,
        CODES_IF_OVERTAKEN,
        this.approverToken,
      );
    const executed = await this.write('POST', `${ADMIN_TRANSACTIONS}/execute`, {});
    for (const { id } of executed.data?.requests ?? [])
      await this.write(
        'POST',
        `${TRANSACTION_REQUESTS}/${id}/complete`,
        { txHash: newHash() },
        CODES_IF_OVERTAKEN,
      );
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
    this.countAction(id);
  }

  private countAction(id: string): void {
    this.adminActions.set(id, (this.adminActions.get(id) ?? 0) + 1);
  }
}
