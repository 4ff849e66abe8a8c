import { SeededRandom, SEED } from '../harness/seeded-random.js';
import type { FaultName } from '../verification/histories/faults.js';
import { ANSWERS_BETWEEN, mixedLoad } from '../verification/histories/mixed-load.js';

// The same for longer, with everything that can break: test/verification/runs/mixed-load.spec.ts.
const FAULTS: FaultName[] = [
  'answers to commits lost',
  'PostgreSQL killed',
  'callbacks of deposits spoiled',
  'one API process killed',
  'statements cancelled',
];

it(`nothing answered is lost, and nothing done twice, while this and that breaks (SEED=${SEED})`, async () => {
  const outcome = await mixedLoad(FAULTS, new SeededRandom(SEED), { users: 4, operators: 2 });
  expect([...outcome.faulty, ...outcome.surprises]).toEqual([]);
  expect(outcome.recoveryMs).toHaveLength(FAULTS.length);
  expect(outcome.tally.answered).toBeGreaterThanOrEqual(ANSWERS_BETWEEN * FAULTS.length);
});
