import { carelessBuild, makeCareless } from '../support/careless.js';
import { Dice, SEED } from '../support/dice.js';
import { RACE_SETTINGS, RACES, type Race } from '../support/races.js';
import { rollDays, runRace } from '../support/run-race.js';
import { Scene, Twins } from '../support/twins.js';

// What looks for double spending, put before a service that allows it: it has to see it.

const MOST_ROUNDS = 400;
const LANES = 4;

describe(`a service that locks nothing (SEED=${SEED})`, () => {
  const dice = new Dice(SEED);
  const build = carelessBuild();
  let twins: Twins;
  let scene: Scene;

  beforeAll(async () => {
    twins = await Twins.start({
      settings: RACE_SETTINGS,
      program: build.program,
      prepare: ({ dataSource }) => makeCareless(dataSource),
    });
    scene = await Scene.of(twins, dice.another());
  });
  afterAll(async () => {
    await twins.stop();
    build.remove();
  });

  it.each(Object.entries(RACES))('loses the race: %s', async (_name, race: Race) => {
    const { violations, rounds } = await runRace(race, scene, MOST_ROUNDS, LANES);
    process.stderr.write(`${_name}: ${rounds} ${JSON.stringify(violations)}\n`);
    expect(violations).not.toEqual([]);
  });

  it('begins a day twice', async () => {
    const { violations, rounds } = await rollDays(twins, scene, MOST_ROUNDS);
    process.stderr.write(`roll: ${rounds} ${JSON.stringify(violations)}\n`);
    expect(violations).not.toEqual([]);
  });
});
