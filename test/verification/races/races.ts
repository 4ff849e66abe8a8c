import { randomUUID } from 'node:crypto';
import type { Reply } from '../../harness/http-client.js';
import { eventually } from '../../harness/eventually.js';
import type { TestUser } from '../../fixtures/given.js';
import { INVESTMENTS } from '../../fixtures/investments.js';
import { depositBody, ProviderCallbacks } from '../../fixtures/provider-callbacks.js';
import type { RaceContext } from './two-api-processes.js';
import { DESTINATION, unknownHash, USER_WITHDRAWALS } from '../../fixtures/withdrawals.js';

/** The result of a round: the winner, or the violation. */
export type Round = { won: string } | { violation: string };

/** Runs rounds in sequence for one user; each round restores the user's money, or changes it as `balanceAfter` states. */
export interface RaceLane {
  round(): Promise<Round>;
  user: TestUser;
  balanceAfter(rounds: number): string;
  /** Waits for asynchronous effects. */
  waitUntilSettled?(): Promise<void>;
}

export type Race = (scenario: RaceContext) => Promise<RaceLane>;

/** Settings for all races. */
export const RACE_SETTINGS = { WITHDRAWAL_FOUR_EYES_ABOVE: '1000.00' };

const AMOUNT = '10.00';
const LARGE = '1000.00';
const INITIAL_BALANCE = 20_000;
const KEYS = 4;
const PARALLEL_CALLBACKS = 3;
const SETTLE_TIMEOUT_MS = 60_000;

const dollars = (amount: number): string => `${amount}.00`;
const isDone = ({ status }: Reply): boolean => status === 200 || status === 201;
const seen = ({ status, code }: Reply): string => code ?? String(status);

/** Exactly one request must succeed; the rest must be refused with one of the codes. */
function exactlyOneWins(contenders: Record<string, Reply>, codes: string[]): Round {
  const all = Object.entries(contenders);
  const winners = all.filter(([, reply]) => isDone(reply));
  const others = all.filter(([, reply]) => !isDone(reply));
  const [winner] = winners;
  if (winner && winners.length === 1 && others.every(([, { code }]) => codes.includes(code as string)))
    return { won: winner[0] };
  return { violation: all.map(([name, reply]) => `${name}: ${seen(reply)}`).join(', ') };
}

/** Prefix of violations in the preparation of a round. */
export const CANNOT_START = 'the round cannot start';

/** Id of a record that the round needs. */
function createdId(reply: Reply): string {
  if (!isDone(reply)) throw new Error(`${CANNOT_START}: ${seen(reply)}`);
  return reply.data.id;
}

const richUser = (scenario: RaceContext) =>
  scenario.platform.given.user().withBalance(dollars(INITIAL_BALANCE));
const unchangedBalance = { balanceAfter: () => dollars(INITIAL_BALANCE) };

const investAgainstWithdraw: Race = async (scenario) => {
  const user = await scenario.platform.given.user().withBalance('100.00');
  return {
    user,
    balanceAfter: () => '100.00',
    round: async () => {
      const [invested, asked] = (await scenario.callConcurrently(
        () => scenario.investments.invest(user, '100.00'),
        () => scenario.withdrawals.request(user, '100.00'),
      )) as [Reply, Reply];
      const round = exactlyOneWins({ invest: invested, withdraw: asked }, ['INSUFFICIENT_BALANCE']);
      if (isDone(invested)) await cancelInvestment(scenario, user, invested.data.id);
      if (isDone(asked)) await scenario.withdrawals.cancel(asked.data.id, user);
      return round;
    },
  };
};

const cancelInvestment = (scenario: RaceContext, user: TestUser, id: string) =>
  scenario.platform.as(user).post(`${INVESTMENTS}/${id}/cancel`);

const takeAgainstTake: Race = async (scenario) => {
  const user = await richUser(scenario);
  const { withdrawals, treasury } = scenario;
  return {
    user,
    ...unchangedBalance,
    round: async () => {
      const id = createdId(await withdrawals.request(user, AMOUNT));
      const [one, other] = (await scenario.callConcurrently(
        () => withdrawals.take(id),
        () => withdrawals.take(id, treasury.admin2),
      )) as [Reply, Reply];
      await withdrawals.reject(id);
      return exactlyOneWins({ admin: one, admin2: other }, ['INVALID_STATE']);
    },
  };
};

const takeAgainstCancel: Race = async (scenario) => {
  const user = await richUser(scenario);
  const { withdrawals } = scenario;
  return {
    user,
    ...unchangedBalance,
    round: async () => {
      const id = createdId(await withdrawals.request(user, AMOUNT));
      const [taken, cancelled] = (await scenario.callConcurrently(
        () => withdrawals.take(id),
        () => withdrawals.cancel(id, user),
      )) as [Reply, Reply];
      if (isDone(taken)) await withdrawals.reject(id);
      return exactlyOneWins({ take: taken, cancel: cancelled }, ['INVALID_STATE']);
    },
  };
};

const completes: Race = async (scenario) => {
  const user = await richUser(scenario);
  const { withdrawals, treasury } = scenario;
  return {
    user,
    balanceAfter: (rounds) => dollars(INITIAL_BALANCE - 10 * rounds), // each round pays out 10.00
    round: async () => {
      const id = createdId(await withdrawals.request(user, AMOUNT));
      await withdrawals.take(id);
      const [first, second, third] = (await scenario.callConcurrently(
        () => withdrawals.complete(id),
        () => withdrawals.complete(id, unknownHash(), {}, treasury.admin2),
        () => withdrawals.complete(id),
      )) as [Reply, Reply, Reply];
      return exactlyOneWins({ first, second, third }, ['INVALID_STATE']);
    },
  };
};

const oneKey: Race = async (scenario) => {
  const user = await richUser(scenario);
  const body = { amount: AMOUNT, currency: 'USDC', toAddress: DESTINATION };
  return {
    user,
    ...unchangedBalance,
    round: async () => {
      const headers = { 'idempotency-key': randomUUID() };
      const ask = () => scenario.platform.as(user).post(USER_WITHDRAWALS, body, { headers });
      const replies = await scenario.callConcurrently(...Array<typeof ask>(KEYS).fill(ask));
      const done = replies.filter(isDone);
      const ids = [...new Set(done.map(({ data }) => data.id as string))];
      const refused = replies.filter((reply) => !isDone(reply));
      const isRight = ids.length === 1 && refused.every(({ code }) => code === 'IDEMPOTENCY_IN_PROGRESS');
      for (const id of ids) await scenario.withdrawals.cancel(id, user);
      if (!isRight) return { violation: `${ids.length} withdrawals: ${replies.map(seen).join()}` };
      return { won: refused.length === KEYS - 1 ? 'alone' : 'and replayed' };
    },
  };
};

const oneWebhook: Race = async (scenario) => {
  const user = await scenario.platform.given.user();
  const { address } = (
    await scenario.platform.as(user).get('/api/user/deposits/address?currency=USDC&network=TRC20')
  ).data;
  const callbacks = new ProviderCallbacks(scenario.platform);
  return {
    user,
    balanceAfter: (rounds) => dollars(600 * rounds),
    waitUntilSettled: () =>
      eventually(async () => {
        const waiting = "select from webhook_event where status = 'received'";
        expect(await scenario.platform.dataSource.query(waiting)).toEqual([]);
      }, SETTLE_TIMEOUT_MS),
    round: async () => {
      const body = depositBody({ address, currency: 'USDC' });
      const tell = () => callbacks.send('deposit', body);
      const replies = await scenario.callConcurrently(...Array<typeof tell>(PARALLEL_CALLBACKS).fill(tell));
      if (!replies.every(({ status }) => status === 200)) return { violation: replies.map(seen).join() };
      return { won: String(replies.findIndex(({ data }) => data.duplicate === false)) };
    },
  };
};

const closeAgainstMove: Race = async (scenario) => {
  const user = await richUser(scenario);
  return {
    user,
    ...unchangedBalance,
    round: async () => {
      const id = createdId(await scenario.investments.invest(user, '100.00'));
      const [closed, moved] = (await scenario.callConcurrently(
        () => scenario.platform.as(user).delete(`${INVESTMENTS}/${id}`),
        () => scenario.investments.move(user, id),
      )) as [Reply, Reply];
      if (isDone(moved)) await cancelInvestment(scenario, user, moved.data.id);
      return exactlyOneWins({ close: closed, move: moved }, ['INVESTMENT_ALREADY_CLOSED']);
    },
  };
};

/** One of two admins approves a withdrawal; the approver may not take it. */
const twoApprovals: Race = async (scenario) => {
  const user = await richUser(scenario);
  const { withdrawals, treasury } = scenario;
  const admins = [treasury.admin, treasury.admin2];
  return {
    user,
    ...unchangedBalance,
    round: async () => {
      const id = createdId(await withdrawals.request(user, LARGE));
      const approvals = await scenario.callConcurrently(
        ...admins.map((by) => () => withdrawals.approve(id, by)),
      );
      const [one, other] = approvals as [Reply, Reply];
      const round = exactlyOneWins({ admin: one, admin2: other }, ['INVALID_STATE']);
      const takes = await scenario.callConcurrently(...admins.map((by) => () => withdrawals.take(id, by)));
      const approver = approvals.findIndex(isDone);
      const isTakenByOther = takes.every((take, place) => isDone(take) === (place !== approver));
      await withdrawals.reject(id);
      return isTakenByOther
        ? round
        : { violation: `approved by ${approver}, taken: ${takes.map(seen).join()}` };
    },
  };
};

const reversalAgainstReversal: Race = async (scenario) => {
  const user = await richUser(scenario);
  const { withdrawals, treasury } = scenario;
  const { admin, admin2 } = treasury;
  return {
    user,
    ...unchangedBalance,
    round: async () => {
      const withdrawalId = createdId(await withdrawals.request(user, AMOUNT));
      await withdrawals.take(withdrawalId);
      await withdrawals.fail(withdrawalId);
      const wish = { type: 'reversal', withdrawalId, amount: AMOUNT };
      const asked = await scenario.callConcurrently(
        () => treasury.create(wish, admin),
        () => treasury.create(wish, admin2),
      );
      const [first, second] = asked as [Reply, Reply];
      const asking = exactlyOneWins({ admin: first, admin2: second }, ['INVALID_STATE']);
      const id = createdId(asked.find(isDone) ?? first);
      await treasury.approve(id, isDone(first) ? admin2 : admin);
      const [one, other] = (await scenario.callConcurrently(
        () => treasury.confirm(id, {}, admin),
        () => treasury.confirm(id, {}, admin2),
      )) as [Reply, Reply];
      return 'violation' in asking
        ? asking
        : exactlyOneWins({ admin: one, admin2: other }, ['INVALID_STATE']);
    },
  };
};

export const RACES: Record<string, Race> = {
  'invest against withdraw': investAgainstWithdraw,
  'take against take': takeAgainstTake,
  'take against cancel': takeAgainstCancel,
  'complete, three at once': completes,
  'one Idempotency-Key, four at once': oneKey,
  'one webhook, three at once': oneWebhook,
  'close against move': closeAgainstMove,
  'two approvals of four eyes': twoApprovals,
  'reversal against reversal': reversalAgainstReversal,
};
