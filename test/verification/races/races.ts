import { randomUUID } from 'node:crypto';
import type { Reply } from '../../harness/http-client.js';
import { eventually } from '../../harness/eventually.js';
import type { TestUser } from '../../fixtures/given.js';
import { INVESTMENTS } from '../../fixtures/investments.js';
import { dollars } from './concurrent-user.js';
import { depositBody, ProviderCallbacks } from '../../fixtures/provider-callbacks.js';
import type { RaceContext } from './two-api-processes.js';
import { DESTINATION, unknownHash, USER_WITHDRAWALS } from '../../fixtures/withdrawals.js';

/** The result of a round: the request that succeeded, or for equal requests how they were answered; or the violation. */
export type Round = { won: string } | { violation: string };

/** Runs rounds in sequence for one user; each round restores the user's money, or changes it as `balanceAfter` states. */
export interface RaceLane {
  round(): Promise<Round>;
  user: TestUser;
  balanceAfter(rounds: number): string;
  /** Waits for asynchronous effects. */
  waitUntilSettled?(): Promise<void>;
}

/** Creates a lane with a user of its own. */
export type Race = (scenario: RaceContext) => Promise<RaceLane>;

/** Settings for all races. */
export const RACE_SETTINGS = { WITHDRAWAL_FOUR_EYES_ABOVE: '1000.00' };

const AMOUNT = '10.00';
const LARGE = '1000.00';
const INITIAL_BALANCE = 20_000;
const REQUESTS_PER_KEY = 4;
const PARALLEL_CALLBACKS = 3;
const SETTLE_TIMEOUT_MS = 60_000;

const isDone = ({ status }: Reply): boolean => status === 200 || status === 201;
const resultOf = ({ status, code }: Reply): string => code ?? String(status);

/** Exactly one request must succeed; all other requests must be refused with one of the codes. */
function exactlyOneWins(replies: Record<string, Reply>, codes: string[]): Round {
  const all = Object.entries(replies);
  const winners = all.filter(([, reply]) => isDone(reply));
  const losers = all.filter(([, reply]) => !isDone(reply));
  const [winner] = winners;
  if (winner && winners.length === 1 && losers.every(([, { code }]) => codes.includes(code as string)))
    return { won: winner[0] };
  return { violation: all.map(([name, reply]) => `${name}: ${resultOf(reply)}`).join(', ') };
}

/** Prefix of violations in the preparation of a round. */
export const CANNOT_START = 'the round cannot start';

/** Id of a record that the round needs. */
function createdId(reply: Reply): string {
  if (!isDone(reply)) throw new Error(`${CANNOT_START}: ${resultOf(reply)}`);
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
      const [invested, requested] = (await scenario.callConcurrently(
        () => scenario.investments.invest(user, '100.00'),
        () => scenario.withdrawals.request(user, '100.00'),
      )) as [Reply, Reply];
      const round = exactlyOneWins({ invest: invested, withdraw: requested }, ['INSUFFICIENT_BALANCE']);
      if (isDone(invested)) await cancelInvestment(scenario, user, invested.data.id);
      if (isDone(requested)) await scenario.withdrawals.cancel(requested.data.id, user);
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

const threeCompletions: Race = async (scenario) => {
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
      const request = () => scenario.platform.as(user).post(USER_WITHDRAWALS, body, { headers });
      const replies = await scenario.callConcurrently(
        ...Array<typeof request>(REQUESTS_PER_KEY).fill(request),
      );
      const done = replies.filter(isDone);
      const ids = [...new Set(done.map(({ data }) => data.id as string))];
      const refused = replies.filter((reply) => !isDone(reply));
      const isValid = ids.length === 1 && refused.every(({ code }) => code === 'IDEMPOTENCY_IN_PROGRESS');
      for (const id of ids) await scenario.withdrawals.cancel(id, user);
      if (!isValid) return { violation: `${ids.length} withdrawals: ${replies.map(resultOf).join()}` };
      return { won: refused.length === REQUESTS_PER_KEY - 1 ? 'without a replay' : 'with a replay' };
    },
  };
};

const oneCallback: Race = async (scenario) => {
  const user = await scenario.platform.given.user();
  const { address } = (
    await scenario.platform.as(user).get('/api/user/deposits/address?currency=USDC&network=TRC20')
  ).data;
  const callbacks = new ProviderCallbacks(scenario.platform);
  return {
    user,
    balanceAfter: (rounds) => dollars(600 * rounds), // the amount of `depositBody`
    waitUntilSettled: () =>
      eventually(async () => {
        const unprocessed = "select from webhook_event where status = 'received'";
        expect(await scenario.platform.dataSource.query(unprocessed)).toEqual([]);
      }, SETTLE_TIMEOUT_MS),
    round: async () => {
      const body = depositBody({ address, currency: 'USDC' });
      const send = () => callbacks.send('deposit', body);
      const replies = await scenario.callConcurrently(...Array<typeof send>(PARALLEL_CALLBACKS).fill(send));
      if (!replies.every(({ status }) => status === 200)) return { violation: replies.map(resultOf).join() };
      const accepted = replies.flatMap(({ data }, index) => (data.duplicate === false ? [index] : []));
      if (accepted.length !== 1) return { violation: `${accepted.length} callbacks are not duplicates` };
      return { won: String(accepted[0]) };
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

/** Two admins approve a withdrawal; one succeeds, and only the other admin may take it. */
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
      const isTakenByOther = takes.every((take, index) => isDone(take) === (index !== approver));
      await withdrawals.reject(id);
      return isTakenByOther
        ? round
        : { violation: `approved by ${approver}, taken: ${takes.map(resultOf).join()}` };
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
      const fields = { type: 'reversal', withdrawalId, amount: AMOUNT };
      const created = await scenario.callConcurrently(
        () => treasury.create(fields, admin),
        () => treasury.create(fields, admin2),
      );
      const [first, second] = created as [Reply, Reply];
      const creation = exactlyOneWins({ admin: first, admin2: second }, ['INVALID_STATE']);
      const id = createdId(created.find(isDone) ?? first);
      await treasury.approve(id, isDone(first) ? admin2 : admin);
      const [one, other] = (await scenario.callConcurrently(
        () => treasury.confirm(id, {}, admin),
        () => treasury.confirm(id, {}, admin2),
      )) as [Reply, Reply];
      return 'violation' in creation
        ? creation
        : exactlyOneWins({ admin: one, admin2: other }, ['INVALID_STATE']);
    },
  };
};

export const RACES: Record<string, Race> = {
  'invest against withdraw': investAgainstWithdraw,
  'take against take': takeAgainstTake,
  'take against cancel': takeAgainstCancel,
  'complete, three at once': threeCompletions,
  'one Idempotency-Key, four at once': oneKey,
  'one callback, three at once': oneCallback,
  'close against move': closeAgainstMove,
  'two approvals of four eyes': twoApprovals,
  'reversal against reversal': reversalAgainstReversal,
};
