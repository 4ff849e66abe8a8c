import { INVESTMENTS } from '../../fixtures/investments.js';
import type { RaceLane, Race, Round } from './races.js';
import type { RaceContext, TwoApiProcesses } from './two-api-processes.js';

export interface Outcome {
  rounds: number;
  wins: Record<string, number>;
  violations: string[];
}

/** Runs rounds in parallel lanes; a lane ends at its first violation, which invalidates later rounds. */
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
  for (let done = 0; done < rounds; done++) {
    const round = await playRound(() => lane.round());
    outcome.rounds += 1;
    if ('violation' in round) return round.violation;
    outcome.wins[round.won] = (outcome.wins[round.won] ?? 0) + 1;
  }
  await lane.waitUntilSettled?.();
  const { data, code } = await scenario.platform.as(lane.user).get('/api/user/balance');
  const left = code ?? `${data.available}, ${data.invested}, ${data.reserved}`;
  const expected = `${lane.balanceAfter(rounds)}, 0.00, 0.00`;
  return left === expected ? undefined : `the balance is ${left} instead of ${expected}`;
}

/** Calls both processes at the start of each day, concurrently with an investment or a closing. */
export async function publishDays(
  twoProcesses: TwoApiProcesses,
  scenario: RaceContext,
  days: number,
): Promise<Outcome> {
  const { platform, urls } = twoProcesses;
  const ann = await platform.given.user().withBalance('10000.00');
  await scenario.investments.create(ann, '1000.00', 'aggressive-20');
  const { begun: before } = await publishedDays(twoProcesses);
  const outcome: Outcome = { rounds: 0, wins: {}, violations: [] };
  let open: string | undefined;
  for (let day = 1; day <= days && outcome.violations.length === 0; day++) {
    twoProcesses.advanceDay();
    const [one, other, write] = await scenario.callConcurrently(
      ...urls.map((url) => () => platform.as(ann, url).get('/api/user/balance')),
      () =>
        open === undefined
          ? scenario.investments.invest(ann, '10.00')
          : scenario.platform.as(ann).delete(`${INVESTMENTS}/${open}`),
    );
    open = open === undefined ? write?.data?.id : undefined;
    outcome.rounds += 1;
    const growths = [one, other].map((reply) => reply?.data?.accruedEarnings ?? reply?.code);
    if (growths[0] !== growths[1] || ![200, 201].includes(write?.status as number))
      outcome.violations.push(`day ${day}: ${growths.join(' and ')}, ${write?.code}`);
  }
  const { begun: after, posted, due } = await publishedDays(twoProcesses);
  if (after - before < days || posted !== due)
    // at real midnight one more day is published
    outcome.violations.push(`${after - before} days are published; posted ${posted}, due ${due}`);
  return outcome;
}

/** Number of published days, their posted growth, and the growth in their accruals. */
async function publishedDays({
  platform,
}: TwoApiProcesses): Promise<{ begun: number; posted: string; due: string }> {
  const [found] = await platform.dataSource.query<{ begun: number; posted: string; due: string }[]>(
    `select (select count(distinct day)::int from strategy_nav) as begun,
            (select coalesce(-sum(amount), 0) from ledger_entry join ledger_account as account on account.id = account_id
              where account.kind = 'expense.yield')::numeric(30, 6)::text as posted,
            (select coalesce(sum(growth), 0) from strategy_accrual)::numeric(30, 6)::text as due`,
  );
  return found as { begun: number; posted: string; due: string };
}

async function playRound(round: () => Promise<Round>): Promise<Round> {
  return round().catch((error: unknown) => ({ violation: String(error) }));
}
