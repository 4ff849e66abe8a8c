// Bundles the API and packages with many small ES modules into dist/api/main.js, which halves the start time. CommonJS and
// native packages stay in node_modules. Run by `npm run build`; does nothing if build and packages are unchanged.
import { existsSync, readFileSync, renameSync, rmSync, statSync, utimesSync } from 'node:fs';
import { createRequire, isBuiltin } from 'node:module';
import { isAbsolute, resolve } from 'node:path';

// Two folders below the root, like the modules that read files relative to `dist`.
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
  '@nestjs/websockets',
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

/** The file to which a package name resolves from a module; undefined if it is not installed. */
function fileOf(id, importer) {
  try {
    return createRequire(importer).resolve(id);
  } catch {
    return undefined;
  }
}

/** External packages resolve from the bundle's folder, which must give the same file as from the importer. */
function external(id, importer) {
  if (!isPackage(id) || isTogether(id)) return false;
  if (importer && !isBuiltin(id) && fileOf(id, importer) !== fileOf(id, resolve('package.json')))
    throw new Error(`${id} resolves to another file from ${importer} than from the root: add it to TOGETHER`);
  return true;
}

/** Loads source maps of the project's modules only, so that stack traces show lines in src. */
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
  // Written to another folder and renamed, so that no process reads an incomplete bundle.
  await bundle.write({ dir: `${FOLDER}.new`, format: 'esm', sourcemap: true, cleanDir: true });
  utimesSync(`${FOLDER}.new/main.js`, begun, begun);
  rmSync(FOLDER, { recursive: true, force: true });
  renameSync(`${FOLDER}.new`, FOLDER);
}
