import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, readFileSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { productionArguments } from '../../bench/support/production.mjs';
import { freePort } from '../../src/sandbox/ports.js';
import { environmentOf, rehearsal } from '../fixtures/compose.js';
import { freshDatabase, type TestDatabase } from '../harness/database.js';
import { eventually } from '../harness/eventually.js';
import { sendRequest } from '../harness/http-client.js';
import { SystemServer } from '../harness/system-programs.js';
import { testFolder } from '../harness/test-folder.js';

const START_MS = 120_000;
const NOT_IN_THE_IMAGE = ['dist/sandbox', 'dist/tests'];

/** A folder with the files of the last stage of the Dockerfile, and all packages: image-build.spec.ts tests the ones that are copied. */
function filesOfTheImage(): string {
  const folder = testFolder('image');
  const [, lastStage = ''] = /.*\nFROM (?!build)(.*)/s.exec(readFileSync('docker/Dockerfile', 'utf8')) ?? [];
  const copied = [...lastStage.matchAll(/^COPY (?:--from=production \/app\/image\/)?([\w.-]+) /gm)].map(
    ([, file]) => file as string,
  );
  expect(copied).toContain('migrations');
  for (const file of copied)
    if (file === 'node_modules') symlinkSync(resolve(file), join(folder, file));
    else
      cpSync(file, join(folder, file), {
        recursive: true,
        filter: (source) => !NOT_IN_THE_IMAGE.includes(source),
      });
  return folder;
}

describe('The profile rehearsal of Compose', () => {
  const children: ChildProcess[] = [];
  let database: TestDatabase;
  let redis: SystemServer;
  let output = '';

  beforeAll(async () => {
    database = await freshDatabase('template0');
    redis = await SystemServer.redis();
  });
  afterAll(async () => {
    for (const child of children) {
      child.kill('SIGTERM');
      if (child.exitCode === null) await once(child, 'exit');
    }
    await redis?.remove();
    await database?.drop();
  });

  /** Runs a program with nothing of this process's environment but PATH and HOME. */
  function run(args: string[], cwd: string, env: Record<string, string>): ChildProcess {
    const { PATH = '', HOME = '' } = process.env;
    const child = spawn(process.execPath, args, {
      cwd,
      env: { PATH, HOME, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (chunk: Buffer) => (output += chunk.toString()));
    children.push(child);
    return child;
  }

  it('runs the files of the image against the sandbox, on which the demo succeeds', async () => {
    const ports = Object.fromEntries(
      await Promise.all(
        [3000, 3001, 8545, 9000].map(async (port) => [port, String(await freePort())] as const),
      ),
    );
    const image = filesOfTheImage();
    // On this machine the hosts and ports of the containers are others.
    const here = (env: Record<string, string>) =>
      Object.fromEntries(
        Object.entries(env).map(([name, value]) => [
          name,
          value
            .replace(/^postgres:.*/, database.url)
            .replace('redis:6379', `127.0.0.1:${redis.port}`)
            .replace(
              /\b(3000|3001|8545|9000)$|(?<=localhost:)(3000|3001|8545)\b/g,
              (port) => ports[port] as string,
            )
            .replace(
              '/run/secrets/admins',
              resolve('docker', /^ {4}file: (.+)/m.exec(rehearsal)?.[1] as string),
            ),
        ]),
      );
    run(productionArguments(), image, here(environmentOf('api')));
    const sandbox = {
      ...here(environmentOf('sandbox')),
      PORT: ports[3000] as string,
      SANDBOX_PORT: ports[3001] as string,
      CHAIN_PORT: ports[8545] as string,
      DATA_DIR: testFolder('rehearsal'),
    };
    run(['dist/sandbox/main.js', '--without-api'], resolve('.'), sandbox);
    await eventually(async () => {
      for (const child of children) if (child.exitCode !== null) throw new Error(output);
      for (const url of [`127.0.0.1:${ports[9000]}/api/health/ready`, `localhost:${ports[3001]}/health`])
        expect([url, (await sendRequest(`http://${url}`)).status]).toEqual([url, 200]);
    }, START_MS);
    const demo = run(['dist/sandbox/demo.js'], resolve('.'), sandbox);
    const [code] = (await once(demo, 'exit')) as [number];
    if (code !== 0) throw new Error(output);
    expect(output).toContain('All results are as expected.');
  });
});
