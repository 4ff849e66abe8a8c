// Builds the console and the users' page into dist/console, with each file compressed by Brotli and gzip beside it. Run by
// `npm run build` and before `npm test`; does nothing if the sources are unchanged.
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const FOLDER = 'dist/console';
/** Written last, so that an interrupted build is repeated. */
const FINISHED = join(FOLDER, 'finished');
const SOURCES = ['console', 'client', 'scripts/build-console.mjs', 'node_modules/.package-lock.json'];

const statOf = (path) => statSync(path, { throwIfNoEntry: false });
const filesIn = (path) =>
  statOf(path)?.isDirectory()
    ? readdirSync(path).flatMap((name) => (name === 'node_modules' ? [] : filesIn(join(path, name))))
    : [path];

const sourcesChangedAt = Math.max(...SOURCES.flatMap(filesIn).map((file) => statOf(file)?.mtimeMs ?? 0));
if ((statOf(FINISHED)?.mtimeMs ?? 0) < sourcesChangedAt) {
  const { build } = await import('vite');
  await build({ configFile: 'console/vite.config.ts', logLevel: 'warn' });
  const level = { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } };
  for (const file of filesIn(FOLDER)) {
    const bytes = readFileSync(file);
    writeFileSync(`${file}.br`, brotliCompressSync(bytes, level));
    writeFileSync(`${file}.gz`, gzipSync(bytes, { level: constants.Z_BEST_COMPRESSION }));
  }
  writeFileSync(FINISHED, '');
}
