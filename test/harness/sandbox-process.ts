import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { freePort } from '../../src/sandbox/ports.js';
import { eventually } from './eventually.js';
import { testFolder } from './test-folder.js';

const START_MS = 120_000;

/** Starts the sandbox on free ports, and waits until it is ready. `stop` resolves with its exit code and signal. */
export async function startSandbox(variables: Record<string, string> = {}) {
  const names = ['PORT', 'SANDBOX_PORT', 'CHAIN_PORT', 'DATABASE_PORT'];
  const ports = await Promise.all(names.map(async (name) => [name, String(await freePort())]));
  const { PATH, HOME } = process.env;
  const env: Record<string, string | undefined> = {
    PATH,
    HOME,
    DATA_DIR: testFolder('sandbox'),
    ...Object.fromEntries(ports),
    ...variables,
  };
  const sandbox = spawn(process.execPath, ['dist/sandbox/main.js'], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = once(sandbox, 'exit');
  let output = '';
  for (const stream of [sandbox.stdout, sandbox.stderr])
    stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const stop = () => {
    sandbox.kill('SIGTERM');
    return exited;
  };
  try {
    await eventually(async () => expect(output).toContain('The platform is ready.'), START_MS);
  } catch (error) {
    await stop();
    throw error;
  }
  return { pid: sandbox.pid as number, env, stop };
}
