import { ledgerViolations } from '../../fixtures/ledger-fixtures.js';
import { SeededRandom, SEED } from '../../harness/seeded-random.js';
import { recordGuarantee } from '../../harness/jest/guarantees.js';
import { RACE_SETTINGS, RACES as MONEY_RACES, type Race } from '../races/races.js';
import { rollDays, runRace, type Outcome } from '../races/run-race.js';
import { SESSION_RACES } from '../races/session-races.js';
import { Scene, TwoApiProcesses } from '../races/two-api-processes.js';

const RACES: Record<string, Race> = { ...MONEY_RACES, ...SESSION_RACES };
const ROUNDS = Number(process.env.ROUNDS ?? 1000);
const LANES = 4;
/** Whoever never wins was never in the race. */
const LEAST_WINS = Math.ceil(ROUNDS / 100);

describe(`races at two processes (SEED=${SEED})`, () => {
  const random = new SeededRandom(SEED);
  const played: Outcome[] = [];
  let twins: TwoApiProcesses;
  let scenario: Scene;

  beforeAll(async () => {
    twins = await TwoApiProcesses.start({ settings: RACE_SETTINGS });
    scenario = await Scene.of(twins, random.fork());
  });
  afterAll(() => twins.stop());

  it.each(Object.entries(RACES))(`%s: one wins, in each of ${ROUNDS} rounds`, async (_name, race: Race) => {
    const outcome = await runRace(race, scenario, ROUNDS, LANES);
    played.push(outcome);
    expect(outcome).toMatchObject({ rounds: ROUNDS, violations: [] });
    const wins = Object.values(outcome.wins);
    expect(wins.length).toBeGreaterThan(1);
    expect(Math.min(...wins)).toBeGreaterThanOrEqual(LEAST_WINS);
  });

  it(`two replicas begin the same day, ${ROUNDS} days: each day begins once`, async () => {
    const outcome = await rollDays(twins, scenario, ROUNDS);
    played.push(outcome);
    expect(outcome).toMatchObject({ rounds: ROUNDS, violations: [] });
  });

  it('has left books that keep every law', async () => {
    expect(await ledgerViolations(twins.platform.dataSource)).toEqual([]);
    await scenario.investments.requireMatchingUnits();
    expect(played).toHaveLength(Object.keys(RACES).length + 1);
    expect(played.flatMap(({ violations }) => violations)).toEqual([]);
    const rounds = played.reduce((sum, outcome) => sum + outcome.rounds, 0);
    recordGuarantee('G-02', `${played.length} races at two processes, ${rounds} rounds: 0 violations`);
  });
});
