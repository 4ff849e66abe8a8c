// Bundles the API and its packages into dist/api/main.js, which halves the start time. Run by `npm run build`; does nothing if
// build and packages are unchanged. `scripts/image.mjs` bundles the commands, too.
import { existsSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { createRequire, isBuiltin } from 'node:module';
import { isAbsolute, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

// The bundle is as deep as dist/config and dist/database, whose modules find files by URLs such as `../../migrations/`.
const FOLDER = 'dist/api';
const SOURCES = ['dist/.tsbuildinfo', 'node_modules/.package-lock.json', 'scripts/bundle.mjs'];

/**
 * Packages that stay in node_modules, by the beginnings of their names. A package of which the process may have only one copy
 * is listed if another listed package requires it.
 */
export const EXTERNAL = [
  '@node-rs/argon2', // native
  '@opentelemetry/', // imported only if traces are exported
  '@simplewebauthn/', // imported with the first passkey
  'ioredis', // imported if there is a Redis
  'nodemailer', // imported with the first mail
  'pdfkit', // imported with the first PDF
  'pg', // typeorm requires it, too: a bundled copy would have type parsers of its own
  'pino', // starts threads from its own files
  'qrcode', // imported with the first QR code
  'reflect-metadata', // as pg
  'typeorm', // @nestjs/typeorm requires it by name
];

const ROOT = resolve('package.json');

/** The file to which a package name resolves from a module; undefined if it is not installed. */
function fileOf(id, importer) {
  try {
    return createRequire(importer).resolve(id);
  } catch {
    return undefined;
  }
}

/**
 * External packages resolve from the bundle's folder, which must give the same file as from the importer. Optional
 * packages that are not installed are external, too.
 */
function isExternal(id, importer) {
  if (importer.startsWith('\0')) importer = ROOT;
  if (isBuiltin(id)) return true;
  if (id.startsWith('.') || isAbsolute(id)) return false;
  if (!EXTERNAL.some((name) => id.startsWith(name)) && fileOf(id, importer)) return false;
  if (fileOf(id, importer) !== fileOf(id, ROOT))
    throw new Error(
      `${id} resolves to another file from ${importer} than from the root: it has to be bundled`,
    );
  return true;
}

/** Half a megabyte of telephone numbers for the decorator IsPhoneNumber of class-validator, which no request uses. */
const LEFT_OUT = { id: 'libphonenumber-js/max', code: 'export const parsePhoneNumber = undefined' };

const REQUIRED = '\0required:';
/** Imported for its effect on all later modules, so that its place among the imports counts. */
const FIRST = 'reflect-metadata';

/** Requires the packages outside the bundle that it imports: an import would first search all files of typeorm for exports. */
const requiredPackages = {
  name: 'required-packages',
  resolveId(id, importer, { kind }) {
    if (id === LEFT_OUT.id) return { id, moduleSideEffects: false };
    if (!importer || !isExternal(id, importer)) return null;
    const isRequired = kind === 'import-statement' && !isBuiltin(id) && id !== FIRST;
    return isRequired ? REQUIRED + id : { id, external: true };
  },
  load(id) {
    if (id === LEFT_OUT.id) return { code: LEFT_OUT.code, map: { mappings: '' } };
    if (!id.startsWith(REQUIRED)) return null;
    return { code: `module.exports = require('${id.slice(REQUIRED.length)}')`, map: { mappings: '' } };
  },
};

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

/** Bundles a module with its packages into a folder, which is as deep as that of the module. */
export async function bundle(input, folder) {
  const { rolldown } = await import('rolldown');
  const plugins = [requiredPackages, sourceMaps];
  const build = await rolldown({ input, platform: 'node', plugins });
  // Written to another folder and renamed, so that no process reads an incomplete bundle.
  const { output } = await build.write({
    dir: `${folder}.new`,
    format: 'esm',
    sourcemap: true,
    comments: false,
    // Without white space: of a file with a source map Node keeps the length of each line, 20 MB in all.
    minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
    cleanDir: true,
    codeSplitting: { groups: [{ name: 'packages', test: /node_modules/ }] },
  });
  // Node reads the source map of each file at the start; that of the packages is empty.
  for (const { fileName, code, map } of output) {
    if (map?.sources.length !== 0) continue;
    writeFileSync(join(`${folder}.new`, fileName), code.replace(/\n\/\/# sourceMappingURL=.*/, ''));
    rmSync(join(`${folder}.new`, `${fileName}.map`));
  }
  rmSync(folder, { recursive: true, force: true });
  renameSync(`${folder}.new`, folder);
}

const changedAt = (file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
const isProgram = import.meta.url === pathToFileURL(process.argv[1]).href;
if (isProgram && changedAt(`${FOLDER}/main.js`) < Math.max(...SOURCES.map(changedAt))) {
  const begun = new Date();
  await bundle('dist/main.js', FOLDER);
  // Sources that have changed since `begun` are newer than the bundle, so that the next run bundles them.
  utimesSync(`${FOLDER}/main.js`, begun, begun);
}
