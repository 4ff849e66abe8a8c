import { ApiProcess } from '../../harness/api-process.js';
import { SEED } from '../../harness/seeded-random.js';
import { readMemory, WATCHED_SETTINGS } from '../load/memory-growth.js';
import { AttackRunner } from '../hostile-input/attack-runner.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import { recordGuarantee } from '../../harness/jest/guarantees.js';

// Sends all attacks to every route of an API process. To choose the number of requests and the seed:
// `REQUESTS=50000 SEED=42 npm run test:faults -- test/verification/runs/hostile-input`.

const REQUESTS = Number(process.env.REQUESTS ?? 20_000);
const MAX_GROWTH_MB = 20;

describe(`Hostile input (SEED=${SEED})`, () => {
  let platform: TestPlatform;
  let api: ApiProcess;
  let hasEnded = false;

  beforeAll(async () => {
    platform = await startPlatform({ at: new Date().toISOString(), blockIntervalMs: 0 });
    api = await ApiProcess.launch({ ...platform.env, ...WATCHED_SETTINGS });
    void api.waitForExit().then(() => (hasEnded = true));
    await api.waitUntilReady();
  });
  afterAll(async () => {
    await api?.kill();
    await platform?.stop();
  });

  /** Memory of the process after garbage collection, in MB. */
  const usedMemoryMb = async () => (await readMemory(api, 0)).bytes / 1e6;

  it('is refused in the envelope on every route, without changes, crashes or memory growth [SEC-013]', async () => {
    const runner = await AttackRunner.create(platform, SEED, api.url);
    await runner.run(REQUESTS / 10); // warm-up
    const before = await usedMemoryMb();
    await runner.run(REQUESTS - REQUESTS / 10);
    const growthMb = (await usedMemoryMb()) - before;
    const summary = runner.report();
    expect(hasEnded).toBe(false);
    expect(growthMb).toBeLessThan(MAX_GROWTH_MB);
    recordGuarantee('G-05', `${summary}; ${Math.max(0, Math.round(growthMb))} MB more memory`);
  });
});
