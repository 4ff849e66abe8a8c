import { Dice, SEED } from '../support/dice.js';
import type { FaultName } from '../support/endurance/faults.js';
import { mixedLoad } from '../support/endurance/mixed-load.js';

// The same for longer and with everything that can break: test/endurance/mixed-load.spec.ts.
const FAULTS: FaultName[] = [
  'answers of the database swallowed',
  'PostgreSQL killed',
  'callbacks of deposits spoiled',
  'one API process killed',
  'statements cancelled',
];

it(`loses nothing that it has answered, and does nothing twice, while this and that breaks (SEED=${SEED})`, async () => {
  const outcome = await mixedLoad(FAULTS, new Dice(SEED), { users: 3, operators: 2 });
  console.log(outcome.tally, outcome.recoveryMs);
  expect([...outcome.faulty, ...outcome.surprises]).toEqual([]);
  expect(outcome.tally.answered).toBeGreaterThan(FAULTS.length);
});
