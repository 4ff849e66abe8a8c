import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { SAMPLE_PASSWORD, SANDBOX_SETTINGS } from '../../src/sandbox/sandbox-settings.js';
import { sendRequest } from '../harness/http-client.js';
import { argumentsOfTree } from '../harness/process-table.js';
import { startSandbox } from '../harness/sandbox-process.js';

const CANARY = 'canary-of-the-environment';
const SECRETS = Object.entries(SANDBOX_SETTINGS)
  .filter(([name]) => /SECRET|KEY$/.test(name))
  .map(([, value]) => value);

describe('The sandbox', () => {
  it('starts with 200 kB of environment, of which the arguments of its processes contain nothing [SEC-341]', async () => {
    const large = Array.from({ length: 20 }, (_, n) => [`LARGE_${n}`, CANARY.padEnd(10_000, '.')]);
    const sandbox = await startSandbox({ API_TOKEN: CANARY, ...Object.fromEntries(large) });
    try {
      const all = argumentsOfTree(sandbox.pid);
      for (const part of ['api/main.js', 'bin/postgres', 'anvil'])
        expect(all).toContainEqual(expect.stringContaining(part)); // control
      expect(SECRETS.length).toBeGreaterThan(5);
      for (const value of [CANARY, 'postgres://', ...SECRETS])
        expect(all.filter((text) => text.includes(value))).toEqual([]);
    } finally {
      expect(await sandbox.stop()).toEqual([0, null]);
    }
  });

  it('registers one-time codes of an admin by a command, which prints the present code at each call', async () => {
    const { env, stop } = await startSandbox();
    const email = 'admin@example.com';
    const run = async () =>
      (await promisify(execFile)(process.execPath, ['dist/sandbox/factor.js', email], { env })).stdout;
    const signIn = async (extraFields: object = {}) => {
      const url = `http://localhost:${env.PORT}/api/admin/auth/login`;
      const body = { email, password: SAMPLE_PASSWORD, ...extraFields };
      return (await sendRequest(url, { method: 'POST', body })).body;
    };
    try {
      expect((await signIn()).success).toBe(true);
      expect(await run()).toContain('Registered.');
      const { code, details } = (await signIn()).error;
      expect(code).toBe('SECOND_FACTOR_REQUIRED');
      const printed = await run();
      expect(printed).not.toContain('Registered.');
      const secondFactor = { id: details.id, code: printed.slice(0, 6) };
      expect((await signIn({ secondFactor })).success).toBe(true);
    } finally {
      await stop();
    }
  });
});
