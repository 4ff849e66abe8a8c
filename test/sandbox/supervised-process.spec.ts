import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startSupervisedProcess } from '../../src/sandbox/supervised-process.js';
import { eventually } from '../harness/eventually.js';
import { argumentsOfTree } from '../harness/process-table.js';
import { testFolder } from '../harness/test-folder.js';

const CANARY = 'canary-of-the-environment';
const PRINT_ENVIRONMENT = `console.log(process.env.SECRET, Object.keys(process.env).filter((name) => name.startsWith('LARGE')).length);
  setInterval(() => undefined, 1000)`;

describe('A supervised process of the sandbox', () => {
  it('gets 200 kB of environment, of which the arguments of the processes contain nothing [SEC-340]', async () => {
    const file = join(testFolder('supervised-process'), 'output.log');
    const log = openSync(file, 'w');
    const large = Array.from({ length: 20 }, (_, n) => [`LARGE_${n}`, `${n}-`.padEnd(10_000, CANARY)]);
    const child = startSupervisedProcess({
      command: process.execPath,
      args: ['-e', PRINT_ENVIRONMENT],
      signal: 'SIGTERM',
      graceMs: 5_000,
      logFile: log,
      env: { PATH: process.env.PATH, SECRET: CANARY, ...Object.fromEntries(large) },
    });
    closeSync(log);
    try {
      await eventually(async () => expect(readFileSync(file, 'utf8')).toBe(`${CANARY} 20\n`));
      const supervised = argumentsOfTree(await child.pid);
      expect(supervised).toEqual([expect.stringContaining('LARGE')]); // control: the arguments of the child itself
      const all = argumentsOfTree(process.pid);
      expect(all.length).toBeGreaterThan(2); // this process, the supervisor, the child
      expect(all.filter((args) => args.includes(CANARY))).toEqual([]);
    } finally {
      await child.stop();
    }
    expect(await child.exited).toBe(0);
  });
});
