import { SEED } from '../harness/seeded-random.js';
import { AttackRunner } from '../verification/hostile-input/attack-runner.js';
import { startPlatform, type TestPlatform } from '../harness/platform.js';
import { recordGuarantee } from '../harness/jest/guarantees.js';

// Invalid input of every kind on every route; test/verification/runs/hostile-input.spec.ts sends more of it.

const REQUESTS = Number(process.env.REQUESTS ?? 2_000);

describe(`Invalid input (SEED=${SEED})`, () => {
  let platform: TestPlatform;

  beforeAll(async () => {
    platform = await startPlatform({ blockIntervalMs: 0 });
  });
  afterAll(() => platform?.stop());

  it('gets an error response in the envelope from every route and changes nothing', async () => {
    const run = await AttackRunner.create(platform, SEED);
    await run.run(REQUESTS);
    recordGuarantee('G-06', run.report());
  });
});
