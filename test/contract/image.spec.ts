import { readFileSync } from 'node:fs';
import { productionArguments } from '../../bench/support/production.mjs';
import { loadConfig } from '../../src/config/app-config.js';
import { SANDBOX_SETTINGS } from '../../src/sandbox/sandbox-settings.js';
import { COMPOSE, environmentOf, rehearsal, serviceOf } from '../fixtures/compose.js';

const DOCKERFILE = readFileSync('docker/Dockerfile', 'utf8');
const { scripts, workspaces } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  scripts: { build: string };
  workspaces: string[];
};

const linesOf = (instruction: string) =>
  DOCKERFILE.split('\n').filter((line) => line.startsWith(`${instruction} `));

describe('The Docker image', () => {
  it('starts the API with the options of npm run start:production', () => {
    expect(linesOf('CMD')).toEqual([
      `CMD ${JSON.stringify(['node', ...productionArguments()]).replaceAll(',', ', ')}`,
    ]);
  });

  it('runs with a read-only file system and without capabilities in Compose and Kubernetes', () => {
    const [, api = ''] =
      /^  api:\n(.*?)^ {2}[a-z#]/ms.exec(readFileSync('docker/compose.yaml', 'utf8')) ?? [];
    for (const line of ['read_only: true', 'cap_drop: [ALL]', "security_opt: ['no-new-privileges:true']"])
      expect(api).toContain(`    ${line}\n`);
    const deployment = readFileSync('docker/kubernetes/platform.yaml', 'utf8');
    for (const line of ['readOnlyRootFilesystem: true', 'capabilities: { drop: [ALL] }'])
      expect(deployment).toContain(line);
  });

  it('is built with every script that it runs itself or that npm run build runs', () => {
    const needed = new Set(`${scripts.build} ${linesOf('RUN').join(' ')}`.match(/scripts\/[\w-]+\.mjs/g));
    // The loop adds the imported scripts to the set, and a loop over a Set also visits added items.
    for (const script of needed)
      for (const [, name] of readFileSync(script, 'utf8').matchAll(/^import .* from '\.\/([\w-]+\.mjs)'/gm))
        needed.add(`scripts/${name}`);
    const copied = linesOf('COPY').flatMap((line) => line.split(' '));
    expect(needed.size).toBeGreaterThan(0);
    expect([...needed].filter((script) => !copied.includes(script))).toEqual([]);
  });

  it('is built with the packages of the workspaces', () => {
    const copied = linesOf('COPY').flatMap((line) => line.split(' '));
    for (const workspace of workspaces) expect(copied).toContain(`${workspace}/package.json`);
  });

  it('is built with the configuration files of nest build', () => {
    const copied = linesOf('COPY').flatMap((line) => line.split(' '));
    const permitted = readFileSync('.dockerignore', 'utf8').split('\n');
    for (const file of ['nest-cli.json', 'tsconfig.json', 'tsconfig.build.json']) {
      expect(copied).toContain(file);
      expect(permitted).toContain(`!${file}`);
    }
  });
});

describe('The profile rehearsal of Compose', () => {
  it('starts the API as in production, with settings that it accepts', () => {
    const env = { ...environmentOf('api'), ADMINS_FILE: 'docker/rehearsal-admins.json' };
    expect(loadConfig(env)).toMatchObject({ isRehearsal: true, PORT: 3000 });
    expect(/^ {4}file: (.+)/m.exec(rehearsal)?.[1]).toBe('rehearsal-admins.json');
    expect(rehearsal).not.toContain('unset POSTGRES_PASSWORD');
  });

  it('gives the sandbox the secrets of the API, its database and its network', () => {
    const api = environmentOf('api');
    const sandbox = environmentOf('sandbox');
    for (const name of Object.keys(SANDBOX_SETTINGS))
      expect([name, sandbox[name]]).toEqual([name, api[name]]);
    expect(sandbox.DATABASE_URL).toBe(api.DATABASE_URL);
    expect(serviceOf('sandbox')).toContain('network_mode: service:api\n');
    expect(serviceOf('sandbox')).toContain('profiles: [rehearsal]\n');
    expect(DOCKERFILE).toContain('FROM build AS sandbox\n');
  });

  it('leaves the settings of other starts as they are', () => {
    const envFile = expect.stringContaining(':-../.env}');
    expect(COMPOSE.match(/env_file: .+/g)).toEqual([envFile, envFile]);
    expect(COMPOSE).toMatch(/^ {4}file: \$\{ADMINS:-\.\.\/admins\.json\}$/m);
  });
});
