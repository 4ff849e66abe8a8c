import { execFile } from 'node:child_process';
import { startPlatform, type TestPlatform } from '../harness/platform.js';

describe('npm run check:provider', () => {
  let platform: TestPlatform;

  beforeAll(async () => {
    platform = await startPlatform({ screening: true });
  });
  afterAll(() => platform?.stop());

  const check = (...words: string[]) =>
    new Promise<{ code: number; output: string }>((resolve) => {
      const env = { ...process.env, ...platform.env };
      execFile(process.execPath, ['scripts/check-provider.mjs', ...words], { env }, (error, stdout, stderr) =>
        resolve({ code: error ? Number(error.code ?? 1) : 0, output: stdout + stderr }),
      );
    });

  it.each([
    ['deposit', 5],
    ['screening', 3],
  ])(
    'finds that the %s provider of the sandbox answers as documented in all %i checks',
    async (provider, count) => {
      const { code, output } = await check(provider);
      expect([code, output.match(/^ok /gm)?.length, output]).toEqual([
        0,
        count,
        expect.not.stringContaining('FAILED'),
      ]);
    },
  );

  it('reports what fails at a provider', async () => {
    platform.outside.providers.faults.set('screening', 'garbage');
    const { code, output } = await check('screening');
    await platform.outside.providers.endFault('screening');
    expect([code, output]).toEqual([1, expect.stringContaining('FAILED answers a question about a user')]);
  });

  it('asks for the name of a provider', async () => {
    expect(await check()).toEqual({ code: 1, output: expect.stringContaining('Name a provider') });
  });
});
