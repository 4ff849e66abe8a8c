import { WithdrawalsService } from '../../../src/modules/funds/withdrawals/withdrawals.service.js';
import type { Reply } from '../../harness/http-client.js';
import type { SeededRandom } from '../../harness/seeded-random.js';
import type { TestUser } from '../../fixtures/given.js';
import { INVESTMENTS } from '../../fixtures/investments.js';
import { linearizationError, type Operation } from './linearizable.js';
import { postingsOf, initialModel, type ModelAnswer, type Call } from './reference-model.js';
import type { RaceContext } from './two-api-processes.js';

const INITIAL_BALANCE = 300;
const STRATEGIES = ['conservative-5', 'balanced-10', 'aggressive-20'];
/** Operations by weight; together they request more money than is available. */
const OPERATIONS = [
  'invest',
  'invest',
  'invest',
  'withdraw',
  'withdraw',
  'withdraw',
  'read',
  'read',
  'read',
  'close',
  'close',
  'cancel investment',
  'move',
  'close part',
  'close part',
  'take',
  'take',
  'complete',
  'reject',
  'cancel',
  'cancel',
  'fail',
  'release',
  'pay out by hand',
  'pay out by hand',
  'deposit by hand',
] as const;

/** Permitted refusals of a booking: its withdrawal has not failed, or an integrity check has paused withdrawals. */
const REFUSALS_OF_CREATION = ['INVALID_STATE', 'WITHDRAWALS_PAUSED'];

export const dollars = (amount: number): string => `${amount}.00`;

/** Parses an amount of the API. The operations move whole dollars only. */
export function wholeDollars(text: string): number {
  if (!text.endsWith('.00')) throw new Error(`${text} is not an amount in whole dollars`);
  return parseInt(text, 10);
}

/** A user for whom several clients and admins act concurrently, with the history of their operations. */
export class ConcurrentUser {
  readonly history: Operation<Call, ModelAnswer>[] = [];
  private nextEvent = 0; // numbers calls and responses in their order
  private readonly investments = new Map<string, string>(); // id → strategy, including ended investments
  private readonly withdrawals = new Map<string, string>(); // id → amount

  private constructor(
    private readonly scenario: RaceContext,
    readonly user: TestUser,
  ) {}

  static async of(scenario: RaceContext): Promise<ConcurrentUser> {
    return new ConcurrentUser(
      scenario,
      await scenario.platform.given.user().withBalance(dollars(INITIAL_BALANCE)),
    );
  }

  /** Performs random operations of one client in sequence. */
  async act(random: SeededRandom, times: number): Promise<void> {
    for (let turn = 0; turn < times; turn++) {
      const call = this.chooseCall(random);
      if (call) await this.perform(call, random);
    }
  }

  /** Reads the balance once more; returns linearizability errors and differences between responses and postings. */
  async contradictions(): Promise<string[]> {
    await this.record({ does: 'read' }, () => this.readBalance());
    const historyError = linearizationError(this.history, initialModel(INITIAL_BALANCE));
    const expected = this.history.flatMap(({ call, answer }) => postingsOf(call, answer));
    const posted = await this.readPostings();
    const distinct = [...new Set([...expected, ...posted])];
    const times = (postings: string[], posting: string) =>
      postings.filter((other) => other === posting).length;
    const contradictions = distinct
      .filter((posting) => times(expected, posting) !== times(posted, posting))
      .map((posting) => `${posting}: expected ${times(expected, posting)}, posted ${times(posted, posting)}`);
    if (historyError !== undefined) contradictions.push(`the history is not linearizable: ${historyError}`);
    return contradictions;
  }

  private chooseCall(random: SeededRandom): Call | undefined {
    const does = random.oneOf(OPERATIONS);
    switch (does) {
      case 'read':
        return { does };
      case 'invest':
      case 'withdraw':
      case 'pay out by hand':
      case 'deposit by hand':
        return { does, amount: does === 'deposit by hand' ? 20 : random.integer(10, 200) };
      case 'close':
      case 'cancel investment':
      case 'move':
      case 'close part': {
        const id = recentId([...this.investments.keys()], random);
        return id === undefined ? undefined : { does, id, amount: random.integer(1, 60) };
      }
      default: {
        const id = recentId([...this.withdrawals.keys()], random);
        return id === undefined ? undefined : { does, id };
      }
    }
  }

  private async perform(call: Call, random: SeededRandom): Promise<void> {
    const { platform, withdrawals, investments } = this.scenario;
    const path = 'id' in call ? `${INVESTMENTS}/${call.id}` : INVESTMENTS;
    const as = () => platform.as(this.user);
    switch (call.does) {
      case 'read':
        await this.record(call, () => this.readBalance());
        return;
      case 'invest': {
        const strategyId = random.oneOf(STRATEGIES);
        const invest = () => investments.invest(this.user, dollars(call.amount), { strategyId });
        return this.keepInvestment(await this.recordReply(call, invest), strategyId);
      }
      case 'move': {
        const strategyId = random.oneOf(
          STRATEGIES.filter((other) => other !== this.investments.get(call.id)),
        );
        const move = () => as().put(path, { strategyId });
        return this.keepInvestment(await this.recordReply(call, move), strategyId);
      }
      case 'withdraw': {
        const amount = dollars(call.amount);
        const { id } = await this.recordReply(call, () => withdrawals.request(this.user, amount));
        if (id) this.withdrawals.set(id, amount);
        return;
      }
      case 'close':
        await this.recordReply(call, () => as().delete(path));
        return;
      case 'cancel investment':
        await this.recordReply(call, () => as().post(`${path}/cancel`));
        return;
      case 'close part':
        await this.recordReply(call, () => investments.close(call.id, dollars(call.amount)));
        return;
      default:
        await this.performStepOrBooking(call);
    }
  }

  /** Performs a step of a withdrawal or a transaction by hand. */
  private async performStepOrBooking(call: Call): Promise<void> {
    const { platform, withdrawals } = this.scenario;
    const userId = this.user.id;
    switch (call.does) {
      case 'take':
        await this.recordReply(call, () => withdrawals.take(call.id));
        return;
      case 'complete':
        await this.recordReply(call, () => withdrawals.complete(call.id));
        return;
      case 'reject':
        await this.recordReply(call, () => this.reject(call.id));
        return;
      case 'cancel':
        await this.recordReply(call, () => withdrawals.cancel(call.id, this.user));
        return;
      case 'fail':
        await this.record(call, async () => {
          const outcome = await platform.app
            .get(WithdrawalsService)
            .recordProviderFailure(call.id, 'Liquidity');
          return outcome === 'failed' ? {} : { refused: 'INVALID_STATE' };
        });
        return;
      case 'release':
        return this.confirmBooking(call, {
          type: 'reversal',
          withdrawalId: call.id,
          amount: this.withdrawals.get(call.id),
        });
      case 'pay out by hand':
        return this.confirmBooking(call, { type: 'withdrawal', userId, amount: dollars(call.amount) });
      case 'deposit by hand':
        return this.confirmBooking(call, { type: 'deposit', userId, amount: dollars(call.amount) });
      default:
        throw new Error(`${call.does} is neither a step of a withdrawal nor a booking`);
    }
  }

  /** Rejects a withdrawal; again if it has changed while the service searched for its payment, as the error says. */
  private async reject(id: string): Promise<Reply> {
    const reply = await this.scenario.withdrawals.reject(id);
    const hasChanged = reply.body.error?.message.startsWith('The withdrawal has changed');
    return hasChanged ? this.reject(id) : reply;
  }

  /** Creates, approves and confirms a transaction by hand. Only the confirmation moves money and enters the history. */
  private async confirmBooking(call: Call, fields: object): Promise<void> {
    const { treasury } = this.scenario;
    const created = await treasury.create(fields);
    if (REFUSALS_OF_CREATION.includes(created.code ?? '')) return;
    if (created.status !== 201) throw new Error(`${call.does}: ${created.status} ${created.code}`);
    await treasury.approve(created.data.id);
    await this.recordReply(call, () => treasury.confirm(created.data.id));
  }

  private keepInvestment({ id }: ModelAnswer, strategyId: string): void {
    if (id) this.investments.set(id, strategyId);
  }

  private async readBalance(): Promise<ModelAnswer> {
    const { data, code } = await this.scenario.platform.as(this.user).get('/api/user/balance');
    if (!data) return { refused: code as string };
    const funds = {
      available: wholeDollars(data.available),
      invested: wholeDollars(data.invested),
      reserved: wholeDollars(data.reserved),
    };
    return { funds };
  }

  private recordReply(call: Call, send: () => Promise<Reply>): Promise<ModelAnswer> {
    return this.record(call, async () => {
      const { status, code, body, data } = await send();
      if (status < 300) return data.id === undefined ? {} : { id: data.id };
      const { available } = body.error.details ?? {};
      return {
        refused: code as string,
        message: body.error.message as string,
        ...(available === undefined ? {} : { available: wholeDollars(available) }),
      };
    });
  }

  private async record(call: Call, run: () => Promise<ModelAnswer>): Promise<ModelAnswer> {
    const from = this.nextEvent++;
    const answer = await run();
    this.history.push({ call, answer, from, to: this.nextEvent++ });
    return answer;
  }

  /** The user's postings except for the initial deposit. Partial closings have the reference `id:number`. */
  private async readPostings(): Promise<string[]> {
    const rows = await this.scenario.platform.dataSource.query<{ posting: string }[]>(
      `select distinct posted.id, posted.type || ' ' || split_part(reference_id, ':', 1) as posting
         from ledger_transaction as posted
         join ledger_entry as entry on transaction_id = posted.id
         join ledger_account as account on account.id = account_id
        where owner_id = $1 and reference_type <> 'deposit'`,
      [this.user.id],
    );
    return rows.map(({ posting }) => posting);
  }
}

/** One of the newest ids, so that several clients choose the same one. */
function recentId(ids: readonly string[], random: SeededRandom): string | undefined {
  return ids.length === 0 ? undefined : random.oneOf(ids.slice(-4));
}
