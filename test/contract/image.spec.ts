import { readFileSync } from 'node:fs';
import { productionArguments } from '../../bench/support/production.mjs';

const DOCKERFILE = readFileSync('docker/Dockerfile', 'utf8');
const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: { build: string } };

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
      /^  api:\n(.*?)^  database:/ms.exec(readFileSync('docker/compose.yaml', 'utf8')) ?? [];
    for (const line of ['read_only: true', 'cap_drop: [ALL]', "security_opt: ['no-new-privileges:true']"])
      expect(api).toContain(`    ${line}\n`);
    const deployment = readFileSync('docker/kubernetes/deployment.yaml', 'utf8');
    for (const line of ['readOnlyRootFilesystem: true', 'capabilities: { drop: [ALL] }'])
      expect(deployment).toContain(line);
  });

  it('is built with every script that npm run build runs', () => {
    const needed = scripts.build.match(/scripts\/[\w-]+\.mjs/g) ?? [];
    const copied = linesOf('COPY').flatMap((line) => line.split(' '));
    expect(needed.length).toBeGreaterThan(0);
    expect(needed.filter((script) => !copied.includes(script))).toEqual([]);
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
