// Puts the API and the packages that consist of many small ES modules together into dist/api/main.js: reading two thousand
// files one by one is half of a start. What is CommonJS or native stays in node_modules. Run by `npm run build`; does
// nothing when neither the build nor the packages have changed.
import { existsSync, readFileSync, renameSync, rmSync, statSync, utimesSync } from 'node:fs';
import { createRequire, isBuiltin } from 'node:module';
import { isAbsolute, resolve } from 'node:path';

// Two folders below the root, as the modules are that look for files beside `dist`.
const FOLDER = 'dist/api';
const SOURCES = ['dist/.tsbuildinfo', 'node_modules/.package-lock.json', 'scripts/bundle.mjs'];

const TOGETHER = [
  '@nestjs/common',
  '@nestjs/core',
  '@nestjs/mapped-types',
  '@nestjs/passport',
  '@nestjs/platform-express',
  '@nestjs/swagger',
  '@nestjs/terminus',
  '@nestjs/throttler',
  '@nestjs/typeorm',
  '@noble/curves',
  '@noble/hashes',
  '@scure/base',
  '@scure/bip32',
  '@scure/bip39',
  'abitype',
  'es-toolkit',
  'jose',
  'lossless-json',
  'ox',
  'uuid',
  'viem',
];

const isPackage = (id) => !id.startsWith('.') && !isAbsolute(id);
const isTogether = (id) => TOGETHER.some((name) => id === name || id.startsWith(`${name}/`));

/** The file that a package's name means to a module; undefined where it is not installed. */
function fileOf(id, importer) {
  try {
    return createRequire(importer).resolve(id);
  } catch {
    return undefined;
  }
}

/** What stays outside is found from the bundle's folder: it has to be what its importer means. */
function external(id, importer) {
  if (!isPackage(id) || isTogether(id)) return false;
  if (importer && !isBuiltin(id) && fileOf(id, importer) !== fileOf(id, resolve('package.json')))
    throw new Error(`${id} is not the same for ${importer} as for the root: put it into TOGETHER`);
  return true;
}

/** Our own modules have source maps, so that a stack names the line in src; the packages need none. */
const sourceMaps = {
  name: 'source-maps',
  load(id) {
    if (!existsSync(id)) return null;
    const isOurs = existsSync(`${id}.map`) && !id.includes('node_modules');
    return {
      code: readFileSync(id, 'utf8'),
      map: isOurs ? readFileSync(`${id}.map`, 'utf8') : { mappings: '' },
    };
  },
};

const changedAt = (file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
if (changedAt(`${FOLDER}/main.js`) < Math.max(...SOURCES.map(changedAt))) {
  const begun = new Date();
  const { rolldown } = await import('rolldown');
  const bundle = await rolldown({
    input: 'dist/main.js',
    platform: 'node',
    external,
    plugins: [sourceMaps],
  });
  // Beside it first, so that no start and no later build takes half of it for all.
  await bundle.write({ dir: `${FOLDER}.new`, format: 'esm', sourcemap: true, cleanDir: true });
  utimesSync(`${FOLDER}.new/main.js`, begun, begun);
  rmSync(FOLDER, { recursive: true, force: true });
  renameSync(`${FOLDER}.new`, FOLDER);
}
