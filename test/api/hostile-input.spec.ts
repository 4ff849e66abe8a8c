import { SEED } from '../harness/seeded-random.js';
import { AttackRunner } from '../verification/hostile-input/attack-runner.js';
import { startPlatform, type TestPlatform } from '../harness/platform.js';
import { recordGuarantee } from '../harness/jest/guarantees.js';

// Bad input of every kind against every route; at length in test/verification/runs/hostile-input.spec.ts.

const REQUESTS = Number(process.env.REQUESTS ?? 1_000);

describe(`Bad input (SEED=${SEED})`, () => {
  let platform: TestPlatform;

  beforeAll(async () => {
    platform = await startPlatform({ blockIntervalMs: 0 });
  });
  afterAll(() => platform.stop());

  it('is refused on every route in the envelope, and changes nothing', async () => {
    const siege = await AttackRunner.create(platform, SEED);
    await siege.run(REQUESTS);
    recordGuarantee('G-06', siege.report());
  });
});
