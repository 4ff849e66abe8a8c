// Compiles the TypeScript of this repository by swc, with the options in .swcrc, to dist/tests. Test workers
// load that folder: with compilation on import they need twice as long to start.
import { existsSync } from 'node:fs';
import { mkdir, readFile, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { transform } from '@swc/core';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const COMPILED = join(ROOT, 'dist/tests');
const FOLDERS = ['src', 'test', 'client', 'bench', 'scripts'];
const OPTIONS = [join(ROOT, '.swcrc'), fileURLToPath(import.meta.url)];

/** The address of the compiled file, for `import`; `source` is absolute or relative to the root of the repository. */
export const compiledUrl = (source) => pathToFileURL(compiledFile(resolve(ROOT, source))).href;

const compiledFile = (source) => join(COMPILED, relative(ROOT, source).replace(/\.ts$/, '.js'));

/** Compiles the files that changed since the last call, and removes what was compiled from files that were deleted. */
export default async function compile() {
  const lastChange = Math.max(...(await Promise.all(OPTIONS.map(changedAt))));
  const all = (await Promise.all(FOLDERS.map((folder) => filesIn(join(ROOT, folder))))).flat();
  const sources = all.filter((file) => /(?<!\.d)\.ts$|\.mjs$/.test(file));
  const wanted = new Set(sources.map(compiledFile));
  const unwanted = (await filesIn(COMPILED)).filter((file) => /\.m?js$/.test(file) && !wanted.has(file));
  await Promise.all(unwanted.map((file) => rm(file, { force: true })));
  await Promise.all(sources.map((source) => compileFile(source, lastChange)));
}

async function compileFile(filename, optionsChangedAt) {
  const file = compiledFile(filename);
  if (Math.max(await changedAt(filename), optionsChangedAt) < (await changedAt(file))) return;
  const text = await readFile(filename, 'utf8');
  const { code } = filename.endsWith('.ts') ? await transform(text, { filename, swcrc: true }) : { code: text };
  const unfinished = `${file}.${process.pid}`; // another run may be loading the file
  await mkdir(dirname(file), { recursive: true });
  await writeFile(unfinished, withPathsOfSources(code, filename));
  await rename(unfinished, file);
}

/**
 * `import.meta.url` remains the address of the source file, since code reads files by paths relative to it. Programs of
 * `bench/` import `dist/`; in tests, which need no build, the compiled `src/` replaces it.
 */
function withPathsOfSources(code, source) {
  return code
    .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(source).href))
    .replace(/(?<= from '(\.\.\/)+)dist\//g, 'src/');
}

async function filesIn(folder) {
  if (!existsSync(folder)) return [];
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

/** In milliseconds since 1970; 0 if the file does not exist. */
const changedAt = (file) =>
  stat(file).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  );
