import { SeededRandom, SEED } from '../../harness/seeded-random.js';
import { recordGuarantee } from '../../harness/jest/guarantees.js';
import { firstWrites, runFailovers, selectPrimaryFaults } from '../failover/failover-run.js';
import { memoryGrowth } from '../load/memory-growth.js';

const COUNT = Number(process.env.FAULTS ?? 200);
/** With the default number of faults the run has at least 20,000 acknowledged writes. */
const WRITES_BETWEEN_FAULTS = 100;
const MAX_MEDIAN_MS = 1000;
const MAX_RECOVERY_MS = 5000;
/** A fault takes seven seconds on two processor cores, more on a busy machine. */
const TIMEOUT_MS = COUNT * 60_000;

it(
  `during ${COUNT} failures of the primary no acknowledged write is lost or doubled, and nothing that was seen is gone (SEED=${SEED})`,
  async () => {
    const random = new SeededRandom(SEED);
    const faults = selectPrimaryFaults(COUNT, random);
    const load = { users: 6, operators: 3, minWritesBetweenFaults: WRITES_BETWEEN_FAULTS };
    const { differences, inconsistencies, output, recoveryMs, ...outcome } = await runFailovers(
      faults,
      random,
      load,
    );
    if (inconsistencies.length > 0) process.stderr.write(output);
    expect([...differences, ...inconsistencies]).toEqual([]);
    const { counts, seen, sessions, memory } = outcome;
    const { median, longest, text } = firstWrites(recoveryMs);
    process.stderr.write(
      `${faults.map((fault, index) => `${fault} ${Math.round(recoveryMs[index] as number)} ms`).join(', ')}\n`,
    );
    recordGuarantee(
      'G-71',
      `${COUNT} faults, ${counts.answered} writes acknowledged, ${counts.unanswered} retried without an answer (${counts.doneUnanswered} had been done); ` +
        `${seen.records} records, ${seen.processing} states \`processing\`, ${seen.checkpoints} checkpoints and ${seen.events} live events seen: ` +
        `0 lost, 0 doubled, 0 gone; ${text}; ` +
        `sessions ${sessions.before} before, ${sessions.after} after`,
    );
    expect(recoveryMs).toHaveLength(COUNT);
    expect(median).toBeLessThan(MAX_MEDIAN_MS);
    expect(longest).toBeLessThan(MAX_RECOVERY_MS);
    expect(sessions.after).toBeLessThanOrEqual(sessions.permitted);
    if (COUNT < 60) return; // memory is read every ten faults, and a trend needs some readings
    const growth = memoryGrowth(memory);
    expect(growth.bytes).toBeLessThan(growth.permittedBytes);
  },
  TIMEOUT_MS,
);
