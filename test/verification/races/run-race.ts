import { INVESTMENTS } from '../../fixtures/investments.js';
import type { RaceLane, Race, Round } from './races.js';
import type { RaceContext, TwoApiProcesses } from './two-api-processes.js';

export interface Outcome {
  rounds: number;
  /** Number of rounds by their result (`won`). */
  wins: Record<string, number>;
  violations: string[];
}

/** Runs rounds in parallel lanes. A lane ends at its first violation, which may leave its user's money changed. */
export async function runRace(
  race: Race,
  scenario: RaceContext,
  rounds: number,
  lanes: number,
): Promise<Outcome> {
  const outcome: Outcome = { rounds: 0, wins: {}, violations: [] };
  await Promise.all(
    Array.from({ length: lanes }, async (_, lane) => {
      const share = Math.floor(rounds / lanes) + (lane < rounds % lanes ? 1 : 0);
      const violation = await runLane(await race(scenario), scenario, share, outcome);
      if (violation !== undefined) outcome.violations.push(violation);
    }),
  );
  return outcome;
}

async function runLane(
  lane: RaceLane,
  scenario: RaceContext,
  rounds: number,
  outcome: Outcome,
): Promise<string | undefined> {
  for (let count = 0; count < rounds; count++) {
    const round: Round = await lane.round().catch((error: unknown) => ({ violation: String(error) }));
    outcome.rounds += 1;
    if ('violation' in round) return round.violation;
    outcome.wins[round.won] = (outcome.wins[round.won] ?? 0) + 1;
  }
  await lane.waitUntilSettled?.();
  const { data, code } = await scenario.platform.as(lane.user).get('/api/user/balance');
  const balance = code ?? `${data.available}, ${data.invested}, ${data.reserved}`;
  const expected = `${lane.balanceAfter(rounds)}, 0.00, 0.00`;
  return balance === expected ? undefined : `the balance is ${balance} instead of ${expected}`;
}

/**
 * Each day starts with concurrent calls: a read of the balance at both processes, and an investment or, on every second
 * day, its closing. The first of these calls publishes the NAVs.
 */
export async function publishDays(
  twoProcesses: TwoApiProcesses,
  scenario: RaceContext,
  days: number,
): Promise<Outcome> {
  const { platform, urls } = twoProcesses;
  const ann = await platform.given.user().withBalance('10000.00');
  await scenario.investments.create(ann, '1000.00', 'aggressive-20');
  const { days: before } = await publishedDays(twoProcesses);
  const outcome: Outcome = { rounds: 0, wins: {}, violations: [] };
  let investmentId: string | undefined;
  for (let day = 1; day <= days && outcome.violations.length === 0; day++) {
    twoProcesses.advanceDay();
    const [one, other, write] = await scenario.callConcurrently(
      ...urls.map((url) => () => platform.as(ann, url).get('/api/user/balance')),
      () =>
        investmentId === undefined
          ? scenario.investments.invest(ann, '10.00')
          : scenario.platform.as(ann).delete(`${INVESTMENTS}/${investmentId}`),
    );
    investmentId = investmentId === undefined ? write?.data?.id : undefined;
    outcome.rounds += 1;
    const answers = [one, other].map((reply) => reply?.data?.accruedEarnings ?? reply?.code);
    const isAnswered = one?.status === 200 && other?.status === 200;
    const isWritten = write?.status === 200 || write?.status === 201;
    if (!isAnswered || !isWritten || answers[0] !== answers[1])
      outcome.violations.push(`day ${day}: ${answers.join(' and ')}, ${write?.code ?? write?.status}`);
  }
  const { days: after, posted, accrued } = await publishedDays(twoProcesses);
  // One more day is published if real midnight passes during the run, because the processes add their offset to real time.
  if (after - before < outcome.rounds || posted !== accrued)
    outcome.violations.push(`${after - before} days are published; growth ${accrued}, posted ${posted}`);
  return outcome;
}

interface PublishedDays {
  days: number;
  /** The growth that is posted to the ledger. */
  posted: string;
  /** The growth in the accruals. */
  accrued: string;
}

async function publishedDays({ platform }: TwoApiProcesses): Promise<PublishedDays> {
  const [published] = await platform.dataSource.query<PublishedDays[]>(
    `select (select count(distinct day)::int from strategy_nav) as days,
            (select coalesce(-sum(amount), 0) from ledger_entry join ledger_account as account on account.id = account_id
              where account.kind = 'expense.yield')::numeric(30, 6)::text as posted,
            (select coalesce(sum(growth), 0) from strategy_accrual)::numeric(30, 6)::text as accrued`,
  );
  return published as PublishedDays;
}
