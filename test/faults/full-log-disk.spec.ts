import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { productionArguments } from '../../bench/support/production.mjs';
import { freePort } from '../../src/sandbox/ports.js';
import { eventually } from '../harness/eventually.js';
import { sendRequest } from '../harness/http-client.js';
import { startPlatform, type TestPlatform } from '../harness/platform.js';
import { testFolder } from '../harness/test-folder.js';

/**
 * Runs a program whose standard output is a file of at most one block. Further writes fail, and the signal XFSZ, which the
 * system sends then, is ignored.
 */
const WITH_SMALL_LOG = `trap '' XFSZ; ulimit -f 1; log=$1; shift; exec "$@" > "$log"`;
const REQUESTS = 20; // the log of two requests has more than one block

let platform: TestPlatform;
let child: ChildProcess | undefined;

beforeAll(async () => {
  platform = await startPlatform();
});
afterAll(async () => {
  child?.kill('SIGKILL');
  await platform?.stop();
});

it('the API serves requests and ends on SIGTERM although its log cannot be written', async () => {
  const url = `http://127.0.0.1:${await freePort()}`;
  const log = join(testFolder('full-log-disk'), 'api.log');
  const env = { ...process.env, ...platform.env, LOG_LEVEL: 'info', PORT: new URL(url).port };
  const program = [process.execPath, ...productionArguments()];
  child = spawn('sh', ['-c', WITH_SMALL_LOG, 'sh', log, ...program], {
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const closed = once(child, 'close');
  let errors = '';
  child.stderr?.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  await eventually(async () => expect((await sendRequest(`${url}/api/health/ready`)).status).toBe(200));
  for (let request = 0; request < REQUESTS; request++)
    expect((await sendRequest(`${url}/api/deposits/status`)).status).toBe(200);
  expect(errors.match(/log lines cannot be written/g)).toHaveLength(1);
  child.kill('SIGTERM');
  const [exitCode] = await closed;
  expect([exitCode, errors]).toEqual([0, expect.not.stringContaining('Error')]);
});
