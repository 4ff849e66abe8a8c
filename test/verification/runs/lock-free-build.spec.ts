import { buildWithoutLocks, removeDatabaseLocks } from '../races/lock-free-build.js';
import { runConcurrentUsers } from '../races/concurrent-users.js';
import { SeededRandom, SEED } from '../../harness/seeded-random.js';
import { CANNOT_START, RACE_SETTINGS, RACES, type Race } from '../races/races.js';
import { publishDays, runRace } from '../races/run-race.js';
import { RaceContext, TwoApiProcesses } from '../races/two-api-processes.js';

// Runs the races and the checks of histories against a build without locks, in which they must find violations.

const MAX_ROUNDS = 100;
const LANES = 4;
const SIZE = { users: 4, clients: 3, operations: 40 };

describe(`A build without locks (SEED=${SEED})`, () => {
  const random = new SeededRandom(SEED);
  let build: ReturnType<typeof buildWithoutLocks>;
  let twoProcesses: TwoApiProcesses;
  let scenario: RaceContext;

  beforeAll(async () => {
    build = buildWithoutLocks();
    twoProcesses = await TwoApiProcesses.start({
      settings: { ...RACE_SETTINGS, FOUR_EYES: 'off' }, // one admin resumes withdrawals
      program: build.program,
      prepare: ({ dataSource }) => removeDatabaseLocks(dataSource),
    });
    scenario = await RaceContext.create(twoProcesses, random.fork());
  });
  afterAll(async () => {
    await twoProcesses?.stop();
    build?.remove();
  });

  beforeEach(async () => {
    // An integrity check pauses withdrawals when it finds a violation.
    await scenario.platform
      .as(scenario.treasury.admin)
      .post('/api/admin/integrity/resume', { reason: 'Go on' });
  });

  it('has histories that are not linearizable, snapshots with a wrong sum, and violations in the integrity report', async () => {
    const { contradictions, snapshots, checks } = await runConcurrentUsers(scenario, random.fork(), SIZE);
    expect(contradictions.join()).toMatch(/the history is not linearizable/);
    expect(snapshots.violations.join()).toMatch(/USDC sums to/);
    expect(checks.violations.join()).toMatch(/balance/);
  });

  it.each(Object.entries(RACES))('violates the rule of the race: %s', async (_name, race: Race) => {
    const { violations } = await runRace(race, scenario, MAX_ROUNDS, LANES);
    expect(violations.filter((violation) => !violation.includes(CANNOT_START))).not.toEqual([]);
  });

  it('has violations when both processes publish the same days at once', async () => {
    const { violations } = await publishDays(twoProcesses, scenario, MAX_ROUNDS);
    expect(violations).not.toEqual([]);
  });
});
