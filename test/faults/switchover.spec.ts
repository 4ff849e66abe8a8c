import { recordGuarantee } from '../harness/jest/guarantees.js';
import { SeededRandom, SEED } from '../harness/seeded-random.js';
import { runSwitchovers } from '../verification/failover/failover-run.js';

/** `SWITCHOVERS=20` is the long form. */
const COUNT = Number(process.env.SWITCHOVERS ?? 2);

it(`during planned switchovers requests fail with 503 alone, and succeed once when repeated (SEED=${SEED})`, async () => {
  const outcome = await runSwitchovers(COUNT, new SeededRandom(SEED), { users: 4, operators: 2 });
  expect([...outcome.differences, ...outcome.inconsistencies]).toEqual([]);
  const { counts, withoutServiceMs } = outcome;
  expect(counts.failedOtherwise).toBe(0);
  expect(withoutServiceMs).toHaveLength(COUNT);
  const seconds = withoutServiceMs.map((ms) => (ms / 1000).toFixed(1));
  recordGuarantee(
    'G-81',
    `${COUNT} switchovers, ${counts.answered} writes acknowledged, 0 lost, 0 doubled; no write for ${seconds.join(' and ')} s; ` +
      `${counts.unavailable} attempts answered 503 with Retry-After and ${counts.outcomeUnknown} with an unknown outcome, 0 failed otherwise`,
  );
});
