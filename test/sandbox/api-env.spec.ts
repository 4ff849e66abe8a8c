import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { writeApiEnv } from '../../src/sandbox/api-env.js';
import { testFolder } from '../harness/test-folder.js';

describe('the settings for npm run start:dev', () => {
  it('are read by Node as they were written', () => {
    const settings = { A: 'postgres://u:p#1@h/d?x=1', B: ' with "quotes" and spaces ', C: 'base64==', D: '' };
    const file = writeApiEnv(testFolder('api-env'), settings);
    expect(parseEnv(readFileSync(file, 'utf8'))).toEqual(settings);
  });

  it('without a running sandbox: an error names the command that starts one', () => {
    const script = resolve('scripts/require-sandbox.mjs');
    const folder = testFolder('no-sandbox');
    const { status, stderr } = spawnSync(process.execPath, [script], { cwd: folder, encoding: 'utf8' });
    expect([status, stderr]).toEqual([1, expect.stringContaining('npm run sandbox\n')]);
  });

  it('of a sandbox that was killed: the same error', () => {
    const script = resolve('scripts/require-sandbox.mjs');
    const folder = testFolder('killed-sandbox');
    writeApiEnv(`${folder}/.data`, { SANDBOX_URL: 'http://127.0.0.1:9' }); // no process listens there
    const { status, stderr } = spawnSync(process.execPath, [script], { cwd: folder, encoding: 'utf8' });
    expect([status, stderr]).toEqual([1, expect.stringContaining('npm run sandbox\n')]);
  });
});
