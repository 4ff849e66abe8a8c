import { violatedInvariants } from '../../fixtures/ledger-fixtures.js';
import { SeededRandom, SEED } from '../../harness/seeded-random.js';
import { recordGuarantee } from '../../harness/jest/guarantees.js';
import { RACE_SETTINGS, RACES as MONEY_RACES, type Race } from '../races/races.js';
import { publishDays, runRace, type Outcome } from '../races/run-race.js';
import { SESSION_RACES } from '../races/session-races.js';
import { RaceContext, TwoApiProcesses } from '../races/two-api-processes.js';

const RACES: Record<string, Race> = { ...MONEY_RACES, ...SESSION_RACES };
const ROUNDS = Number(process.env.ROUNDS ?? 1000);
const LANES = 4;
/** A race must have at least two different results, each in this many rounds; otherwise its calls did not overlap. */
const MIN_WINS = Math.ceil(ROUNDS / 100);

describe(`Races at two processes (SEED=${SEED})`, () => {
  const random = new SeededRandom(SEED);
  const outcomes: Outcome[] = [];
  let twoProcesses: TwoApiProcesses;
  let scenario: RaceContext;

  beforeAll(async () => {
    twoProcesses = await TwoApiProcesses.start({ settings: RACE_SETTINGS });
    scenario = await RaceContext.create(twoProcesses, random.fork());
  });
  afterAll(() => twoProcesses?.stop());

  it.each(Object.entries(RACES))(
    `%s: no round of ${ROUNDS} violates the rule of the race`,
    async (_name, race: Race) => {
      const outcome = await runRace(race, scenario, ROUNDS, LANES);
      outcomes.push(outcome);
      expect(outcome).toMatchObject({ rounds: ROUNDS, violations: [] });
      const wins = Object.values(outcome.wins);
      expect(wins.length).toBeGreaterThan(1);
      expect(Math.min(...wins)).toBeGreaterThanOrEqual(MIN_WINS);
    },
  );

  it(`publish each of ${ROUNDS} days once when both processes publish it concurrently`, async () => {
    const outcome = await publishDays(twoProcesses, scenario, ROUNDS);
    outcomes.push(outcome);
    expect(outcome).toMatchObject({ rounds: ROUNDS, violations: [] });
  });

  it('leave a ledger that keeps all invariants', async () => {
    expect(await violatedInvariants(twoProcesses.platform.dataSource)).toEqual([]);
    await scenario.investments.requireMatchingUnits();
    expect(outcomes).toHaveLength(Object.keys(RACES).length + 1);
    expect(outcomes.flatMap(({ violations }) => violations)).toEqual([]);
    const rounds = outcomes.reduce((sum, outcome) => sum + outcome.rounds, 0);
    recordGuarantee('G-02', `${outcomes.length} races at two processes, ${rounds} rounds: 0 violations`);
  });
});
