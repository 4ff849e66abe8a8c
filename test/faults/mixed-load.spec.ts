import { SeededRandom, SEED } from '../harness/seeded-random.js';
import type { FaultName } from '../verification/histories/faults.js';
import { ANSWERS_BETWEEN, mixedLoad } from '../verification/histories/mixed-load.js';

// The long run with all faults is test/verification/runs/mixed-load.spec.ts.
const FAULTS: FaultName[] = [
  'answers to commits lost',
  'PostgreSQL killed',
  'callbacks of deposits spoiled',
  'one API process killed',
  'statements cancelled',
];

it(`under load with faults, acknowledged writes are not lost and no write is carried out twice (SEED=${SEED})`, async () => {
  const outcome = await mixedLoad(FAULTS, new SeededRandom(SEED), { users: 4, operators: 2 });
  expect([...outcome.faulty, ...outcome.surprises]).toEqual([]);
  expect(outcome.recoveryMs).toHaveLength(FAULTS.length);
  expect(outcome.tally.answered).toBeGreaterThanOrEqual(ANSWERS_BETWEEN * FAULTS.length);
});
