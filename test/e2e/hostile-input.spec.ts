import { SEED } from '../support/dice.js';
import { Siege } from '../support/hostile/siege.js';
import { startPlatform, type TestPlatform } from '../support/platform.js';
import { kept } from '../support/promises.js';

// Bad input of every kind against every route; at length in test/endurance/hostile-input.spec.ts.

const REQUESTS = Number(process.env.REQUESTS ?? 1_500);

describe(`Bad input (SEED=${SEED})`, () => {
  let platform: TestPlatform;

  beforeAll(async () => {
    platform = await startPlatform({ blockIntervalMs: 0 });
  });
  afterAll(() => platform.stop());

  it('is refused on every route in the envelope, and changes nothing', async () => {
    const siege = await Siege.of(platform, SEED);
    await siege.lay(REQUESTS);
    kept('Bad input is refused in the envelope on every route: no 5xx, nothing changed', siege.end());
  }, 300_000);
});
