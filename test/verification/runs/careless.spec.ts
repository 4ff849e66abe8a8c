import { carelessBuild, makeCareless } from '../races/lock-free-build.js';
import { dayOfBusiness } from '../races/concurrent-day.js';
import { SeededRandom, SEED } from '../../harness/seeded-random.js';
import { CANNOT_BEGIN, RACE_SETTINGS, RACES, type Race } from '../races/races.js';
import { rollDays, runRace } from '../races/run-race.js';
import { Scene, TwoApiProcesses } from '../races/two-api-processes.js';

// What looks for double spending, put before a service that allows it: it has to see it.

const MOST_ROUNDS = 100;
const LANES = 4;
const SIZE = { customers: 4, clients: 3, times: 40 };

describe(`a service that locks nothing (SEED=${SEED})`, () => {
  const random = new SeededRandom(SEED);
  let build: ReturnType<typeof carelessBuild>;
  let twins: TwoApiProcesses;
  let scenario: Scene;

  beforeAll(async () => {
    build = carelessBuild();
    twins = await TwoApiProcesses.start({
      settings: RACE_SETTINGS,
      program: build.program,
      prepare: ({ dataSource }) => makeCareless(dataSource),
    });
    scenario = await Scene.of(twins, random.fork());
  });
  afterAll(async () => {
    await twins?.stop();
    build?.remove();
  });

  beforeEach(async () => {
    // the service has seen it, too, and has paused withdrawals
    await scenario.platform
      .as(scenario.treasury.admin)
      .post('/api/admin/integrity/resume', { reason: 'Go on' });
  });

  it('answers what no order explains, and its balances sum to something else', async () => {
    const { contradictions, snapshots, checks } = await dayOfBusiness(scenario, random.fork(), SIZE);
    expect(contradictions.join()).toMatch(/no order explains the answers/);
    expect(snapshots.violations[0]).toMatch(/^USDC sums to/);
    expect(checks.violations.join()).toMatch(/balance/);
  });

  it.each(Object.entries(RACES))('loses the race: %s', async (_name, race: Race) => {
    const { violations } = await runRace(race, scenario, MOST_ROUNDS, LANES);
    expect(violations.filter((violation) => !violation.includes(CANNOT_BEGIN))).not.toEqual([]);
  });

  it('begins a day twice', async () => {
    const { violations } = await rollDays(twins, scenario, MOST_ROUNDS);
    expect(violations).not.toEqual([]);
  });
});
