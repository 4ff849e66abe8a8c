import { SeededRandom, SEED } from '../../harness/seeded-random.js';
import { someFaults } from '../histories/faults.js';
import { mixedLoad } from '../histories/mixed-load.js';
import { recordGuarantee } from '../../harness/jest/guarantees.js';

const COUNT = Number(process.env.FAULTS ?? 200);
/** Of the machine that the tests run on, too: how long a write may fail after a fault is over. */
const RECOVERY_MS = 5000;

it(`loses nothing that it has answered, and does nothing twice, through ${COUNT} faults (SEED=${SEED})`, async () => {
  const random = new SeededRandom(SEED);
  const faults = someFaults(COUNT, random);
  const { tally, faulty, surprises, recoveryMs, output } = await mixedLoad(faults, random, {
    users: 5,
    operators: 3,
  });
  if (surprises.length > 0) process.stderr.write(output);
  expect([...faulty, ...surprises]).toEqual([]);
  expect(recoveryMs).toHaveLength(COUNT);
  const [median, longest] = [recoveryMs.sort((a, b) => a - b)[Math.floor(COUNT / 2)], recoveryMs.at(-1)] as [
    number,
    number,
  ];
  expect(median).toBeLessThan(RECOVERY_MS);
  // By chance some fault strikes between a request and its answer: the key is what tells that it was done.
  expect(tally.doneUnanswered).toBeGreaterThan(0);
  recordGuarantee(
    'G-01',
    `${COUNT} faults, ${tally.answered} writes answered, 0 lost, ${tally.unanswered} without an answer retried ` +
      `(${tally.doneUnanswered} had been done), ${tally.repeated} repeated; ` +
      `first success after a fault: median ${Math.round(median)} ms, longest ${Math.round(longest)} ms`,
  );
});
