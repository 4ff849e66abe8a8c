import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { writeApiEnv } from '../../src/sandbox/api-env.js';
import { testFolder } from '../harness/test-folder.js';

describe('The settings file that npm run start:dev reads', () => {
  it('is read by Node with the values that were written to it', () => {
    const settings = { A: 'postgres://u:p#1@h/d?x=1', B: ' with "quotes" and spaces ', C: 'base64==', D: '' };
    const file = writeApiEnv(testFolder('api-env'), settings);
    expect(parseEnv(readFileSync(file, 'utf8'))).toEqual(settings);
  });

  it('causes an error that names the command npm run sandbox if it does not exist', () => {
    const script = resolve('scripts/require-sandbox.mjs');
    const folder = testFolder('no-sandbox');
    const { status, stderr } = spawnSync(process.execPath, [script], { cwd: folder, encoding: 'utf8' });
    expect([status, stderr]).toEqual([1, expect.stringContaining('npm run sandbox\n')]);
  });

  it('causes an error that names the command npm run sandbox if the sandbox was killed', () => {
    const script = resolve('scripts/require-sandbox.mjs');
    const folder = testFolder('killed-sandbox');
    writeApiEnv(`${folder}/.data`, { SANDBOX_URL: 'http://127.0.0.1:9' }); // no process listens there
    const { status, stderr } = spawnSync(process.execPath, [script], { cwd: folder, encoding: 'utf8' });
    expect([status, stderr]).toEqual([1, expect.stringContaining('npm run sandbox\n')]);
  });
});
