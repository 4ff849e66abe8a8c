import { ApiProcess } from '../../harness/api-process.js';
import { SEED } from '../../harness/seeded-random.js';
import { holding, WATCHED } from '../load/memory-growth.js';
import { Siege } from '../hostile-input/siege.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import { recordGuarantee } from '../../harness/jest/guarantees.js';

// Bad input of every kind against every route of a process of its own: `REQUESTS=50000 SEED=42 npm run test:faults`.

const REQUESTS = Number(process.env.REQUESTS ?? 20_000);
const MOST_MORE_MB = 20;

describe(`Bad input, at length (SEED=${SEED})`, () => {
  let platform: TestPlatform;
  let api: ApiProcess;
  let hasEnded = false;

  beforeAll(async () => {
    platform = await startPlatform({ at: new Date().toISOString(), blockIntervalMs: 0 });
    api = await ApiProcess.launch({ ...platform.env, ...WATCHED });
    void api.waitForExit().then(() => (hasEnded = true));
    await api.waitUntilReady();
  });
  afterAll(async () => {
    await api.kill();
    await platform.stop();
  });

  /** Megabytes that it holds when all that it can give back is given back. */
  const held = async () => (await holding(api, 0)).bytes / 1e6;

  it('is refused on every route in the envelope, changes nothing, and costs neither life nor memory [SEC-013]', async () => {
    const siege = await Siege.of(platform, SEED, api.url);
    await siege.lay(REQUESTS / 10); // by then everything is loaded
    const before = await held();
    await siege.lay(REQUESTS - REQUESTS / 10);
    const more = (await held()) - before;
    const figure = siege.end();
    expect(hasEnded).toBe(false);
    expect(more).toBeLessThan(MOST_MORE_MB);
    recordGuarantee('G-05', `${figure}; ${Math.max(0, Math.round(more))} MB more held`);
  });
});
