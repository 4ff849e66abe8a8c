import { openApiDocument } from '../../src/http/openapi/document.js';
import { SEED } from '../support/dice.js';
import { ATTACKS, Siege } from '../support/hostile/siege.js';
import { startPlatform, type TestPlatform } from '../support/platform.js';
import { kept } from '../support/promises.js';

// Bad input of every kind against every route: the short version of test/endurance/hostile-input.spec.ts.

const REQUESTS = Number(process.env.REQUESTS ?? 1_500);

describe(`Bad input (SEED=${SEED})`, () => {
  let platform: TestPlatform;

  beforeAll(async () => {
    platform = await startPlatform({ blockIntervalMs: 0 });
  });
  afterAll(() => platform.stop());

  it('is refused on every route in the envelope, and changes nothing', async () => {
    const siege = new Siege(platform, openApiDocument(platform.app, 'test'), SEED);
    await siege.lay(REQUESTS);
    siege.requireNothingFound();
    expect(siege.tried.size).toBe(ATTACKS.length);
    kept(
      'Bad input',
      `${REQUESTS} ${[...siege.statuses].join(' ')} ${siege.roundsOfRefusals}/${siege.rounds} ${siege.slowestMs}`,
    );
  }, 300_000);
});
