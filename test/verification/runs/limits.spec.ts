import { limitsFile } from '../../fixtures/limits.js';
import { violatedInvariants } from '../../fixtures/ledger-fixtures.js';
import { recordGuarantee } from '../../harness/jest/guarantees.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import { SeededRandom, SEED } from '../../harness/seeded-random.js';
import { ConcurrentSequences, findExceededWindows, SEQUENCE_TIER } from '../limits/concurrent-sequences.js';

const SEQUENCES = Number(process.env.SEQUENCES ?? 100_000);
const USERS = 500; // fewer users need more years of domain time

describe(`The limits of withdrawals (SEED=${SEED})`, () => {
  let platform: TestPlatform;

  beforeAll(async () => {
    platform = await startPlatform({ settings: { LIMITS_FILE: limitsFile([SEQUENCE_TIER]) } });
  });
  afterAll(() => platform?.stop());

  it(`are not exceeded by a micro-unit in ${SEQUENCES} sequences of concurrent requests`, async () => {
    const run = await ConcurrentSequences.create(platform, new SeededRandom(SEED), USERS);
    const { contradictions, ...counts } = await run.run(SEQUENCES);
    expect(contradictions).toEqual([]);
    expect(await findExceededWindows(platform)).toEqual([]);
    expect(await violatedInvariants(platform.dataSource)).toEqual([]);
    const figures = Object.entries(counts).map(([name, count]) => `${count} ${name}`);
    recordGuarantee('G-61', `${figures.join(', ')}; 0 windows exceeded`);
  });
});
