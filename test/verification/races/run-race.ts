import { INVESTMENTS } from '../../fixtures/investments.js';
import type { Lane, Race, Round } from './races.js';
import type { Scene, TwoApiProcesses } from './two-api-processes.js';

/** What many rounds came to. */
export interface Outcome {
  rounds: number;
  /** How often each of the contenders won. */
  wins: Record<string, number>;
  violations: string[];
}

/** Runs rounds in lanes side by side; a lane ends at its first violation, since nothing is as it should be after it. */
export async function runRace(race: Race, scenario: Scene, rounds: number, lanes: number): Promise<Outcome> {
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
  lane: Lane,
  scenario: Scene,
  rounds: number,
  outcome: Outcome,
): Promise<string | undefined> {
  for (let done = 0; done < rounds; done++) {
    const round = await played(() => lane.round());
    outcome.rounds += 1;
    if ('wrong' in round) return round.wrong;
    outcome.wins[round.won] = (outcome.wins[round.won] ?? 0) + 1;
  }
  await lane.settled?.();
  const { data, code } = await scenario.platform.as(lane.user).get('/api/user/balance');
  const left = code ?? `${data.available}, ${data.invested}, ${data.reserved}`;
  const expected = `${lane.leaves(rounds)}, 0.00, 0.00`;
  return left === expected ? undefined : `left is ${left} and not ${expected}`;
}

/** Both processes are asked at the first instant of each day, while somebody invests or closes. */
export async function rollDays(twins: TwoApiProcesses, scenario: Scene, days: number): Promise<Outcome> {
  const { platform, urls } = twins;
  const ann = await platform.given.user().withBalance('10000.00');
  await scenario.investments.create(ann, '1000.00', 'aggressive-20');
  const { begun: before } = await daysBegun(twins);
  const outcome: Outcome = { rounds: 0, wins: {}, violations: [] };
  let open: string | undefined;
  for (let day = 1; day <= days && outcome.violations.length === 0; day++) {
    twins.tomorrow();
    const [one, other, write] = await scenario.together(
      ...urls.map((url) => () => platform.as(ann, url).get('/api/user/balance')),
      () =>
        open === undefined
          ? scenario.investments.invest(ann, '10.00')
          : scenario.platform.as(ann).delete(`${INVESTMENTS}/${open}`),
    );
    open = open === undefined ? write?.data?.id : undefined;
    outcome.rounds += 1;
    const told = [one, other].map((reply) => reply?.data?.accruedEarnings ?? reply?.code);
    if (told[0] !== told[1] || ![200, 201].includes(write?.status as number))
      outcome.violations.push(`day ${day}: ${told.join(' and ')}, ${write?.code}`);
  }
  const { begun: after, posted, due } = await daysBegun(twins);
  if (after - before < days || posted !== due)
    // at real midnight there is one more
    outcome.violations.push(`${after - before} days have begun; posted is ${posted}, due is ${due}`);
  return outcome;
}

/** How many days there are values of, the growth that was posted on them, and what their accruals say. */
async function daysBegun({
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

async function played(round: () => Promise<Round>): Promise<Round> {
  return round().catch((error: unknown) => ({ wrong: String(error) }));
}
