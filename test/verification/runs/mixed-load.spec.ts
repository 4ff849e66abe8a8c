import { SeededRandom, SEED } from '../../harness/seeded-random.js';
import { selectFaults } from '../mixed-load/faults.js';
import { mixedLoad } from '../mixed-load/mixed-load.js';
import { recordGuarantee } from '../../harness/jest/guarantees.js';

const COUNT = Number(process.env.FAULTS ?? 200);
/** Maximum of the median time from the end of a fault to the next acknowledged write. */
const MAX_RECOVERY_MS = 5000;

it(`during ${COUNT} faults no acknowledged write is lost and no write is carried out twice (SEED=${SEED})`, async () => {
  const random = new SeededRandom(SEED);
  const faults = selectFaults(COUNT, random);
  const { counts, differences, inconsistencies, recoveryMs, output } = await mixedLoad(faults, random, {
    users: 5,
    operators: 3,
  });
  if (inconsistencies.length > 0) process.stderr.write(output);
  expect([...differences, ...inconsistencies]).toEqual([]);
  expect(recoveryMs).toHaveLength(COUNT);
  const sorted = recoveryMs.toSorted((a, b) => a - b);
  const median = sorted[Math.floor(COUNT / 2)] as number;
  const longest = sorted.at(-1) as number;
  expect(median).toBeLessThan(MAX_RECOVERY_MS);
  // Some faults must hit between a write and its response, so that the retry with the key is a replay.
  expect(counts.doneUnanswered).toBeGreaterThan(0);
  recordGuarantee(
    'G-01',
    `${COUNT} faults, ${counts.answered} writes answered, 0 lost, ${counts.unanswered} without an answer retried ` +
      `(${counts.doneUnanswered} had been done), ${counts.repeated} repeated; ` +
      `first success after a fault: median ${Math.round(median)} ms, longest ${Math.round(longest)} ms`,
  );
});
