import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { freePort } from '../../src/sandbox/ports.js';
import { SANDBOX_SETTINGS } from '../../src/sandbox/sandbox-settings.js';
import { eventually } from '../harness/eventually.js';
import { argumentsOfTree } from '../harness/process-table.js';
import { testFolder } from '../harness/test-folder.js';

const START_MS = 120_000;
const CANARY = 'canary-of-the-environment';
const SECRETS = Object.entries(SANDBOX_SETTINGS)
  .filter(([name]) => /SECRET|KEY$/.test(name))
  .map(([, value]) => value);

describe('The sandbox', () => {
  it('starts with 200 kB of environment, of which the arguments of its processes contain nothing [SEC-341]', async () => {
    const names = ['PORT', 'SANDBOX_PORT', 'CHAIN_PORT', 'DATABASE_PORT'];
    const ports = await Promise.all(names.map(async (name) => [name, String(await freePort())]));
    const large = Array.from({ length: 20 }, (_, n) => [`LARGE_${n}`, CANARY.padEnd(10_000, '.')]);
    const { PATH, HOME } = process.env;
    const sandbox = spawn(process.execPath, ['dist/sandbox/main.js'], {
      env: {
        ...{ PATH, HOME, DATA_DIR: testFolder('sandbox'), API_TOKEN: CANARY },
        ...Object.fromEntries([...ports, ...large]),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const exited = once(sandbox, 'exit');
    let output = '';
    for (const stream of [sandbox.stdout, sandbox.stderr])
      stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
    try {
      await eventually(async () => expect(output).toContain('The platform is ready.'), START_MS);
      const all = argumentsOfTree(sandbox.pid as number);
      for (const part of ['api/main.js', 'bin/postgres', 'anvil'])
        expect(all).toContainEqual(expect.stringContaining(part)); // control
      expect(SECRETS.length).toBeGreaterThan(5);
      for (const value of [CANARY, 'postgres://', ...SECRETS])
        expect(all.filter((text) => text.includes(value))).toEqual([]);
    } finally {
      sandbox.kill('SIGTERM');
    }
    expect(await exited).toEqual([0, null]);
  });
});
