import { recordGuarantee } from '../harness/jest/guarantees.js';
import { SeededRandom, SEED } from '../harness/seeded-random.js';
import { firstWrites, runFailovers } from '../verification/failover/failover-run.js';
import type { PrimaryFault } from '../harness/failover-cluster.js';

// The long run is test/verification/runs/failover.spec.ts.
const FAULTS: PrimaryFault[] = ['killed', 'partitioned', 'frozen', 'stopped'];

it(`when the primary fails, acknowledged writes are not lost or doubled, and nothing that was seen is gone (SEED=${SEED})`, async () => {
  const outcome = await runFailovers(FAULTS, new SeededRandom(SEED), { users: 4, operators: 2 });
  expect([...outcome.differences, ...outcome.inconsistencies]).toEqual([]);
  expect(outcome.recoveryMs).toHaveLength(FAULTS.length);
  const { sessions, seen, counts } = outcome;
  expect(sessions.after).toBeLessThanOrEqual(sessions.permitted);
  expect(Math.min(seen.processing, seen.checkpoints, seen.events)).toBeGreaterThan(0);
  recordGuarantee(
    'G-70',
    `${FAULTS.length} faults, ${counts.answered} writes acknowledged, ${seen.records} records and ${seen.events} events seen: 0 lost, 0 doubled, 0 gone; ${firstWrites(outcome.recoveryMs).text}`,
  );
});
