import { SeededRandom, SEED } from '../harness/seeded-random.js';
import type { FaultName } from '../verification/mixed-load/faults.js';
import { MIN_WRITES_BETWEEN_FAULTS, mixedLoad } from '../verification/mixed-load/mixed-load.js';

// The long run with all faults is test/verification/runs/mixed-load.spec.ts.
const FAULTS: FaultName[] = [
  'responses to COMMIT lost',
  'PostgreSQL killed',
  'deposit callbacks faulty',
  'one API process killed',
  'statements cancelled',
];

it(`under load with faults, acknowledged writes are not lost and no write is carried out twice (SEED=${SEED})`, async () => {
  const outcome = await mixedLoad(FAULTS, new SeededRandom(SEED), { users: 4, operators: 2 });
  expect([...outcome.differences, ...outcome.inconsistencies]).toEqual([]);
  expect(outcome.recoveryMs).toHaveLength(FAULTS.length);
  expect(outcome.counts.answered).toBeGreaterThanOrEqual(MIN_WRITES_BETWEEN_FAULTS * FAULTS.length);
});
