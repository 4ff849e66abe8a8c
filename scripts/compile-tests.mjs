// Compiles the TypeScript files that have changed with swc (.swcrc) to dist/tests. Jest runs it before the tests, because workers need
// twice as long to start if each of them compiles the files that it imports.
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { transform } from '@swc/core';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const COMPILED = join(ROOT, 'dist/tests');
const FOLDERS = ['src', 'test', 'client', 'bench', 'scripts'];

/** The address of the compiled file, for `import`; `source` is absolute or relative to the root of the repository. */
export const compiledUrl = (source) => pathToFileURL(compiledFile(resolve(ROOT, source))).href;

const compiledFile = (source) => join(COMPILED, relative(ROOT, source).replace(/\.ts$/, '.js'));

/** The modification time in seconds since 1970, to the millisecond; 0 if the file does not exist. */
const changedAt = (file) =>
  stat(file).then(
    ({ mtimeMs }) => Math.round(mtimeMs) / 1000,
    () => 0,
  );

/** Compiles the files that changed since the last call, and removes the compiled files of deleted ones. */
export default async function compile() {
  const optionFiles = [join(ROOT, '.swcrc'), fileURLToPath(import.meta.url)];
  const optionsChangedAt = Math.max(...(await Promise.all(optionFiles.map(changedAt))));
  await mkdir(COMPILED, { recursive: true });
  const unwanted = new Set((await filesIn(COMPILED)).filter((file) => /\.m?js$/.test(file)));
  for (const folder of FOLDERS) {
    const sources = (await filesIn(join(ROOT, folder))).filter((file) => /(?<!\.d)\.ts$|\.mjs$/.test(file));
    await Promise.all(sources.map((source) => compileFile(source, optionsChangedAt)));
    for (const source of sources) unwanted.delete(compiledFile(source));
  }
  await Promise.all([...unwanted].map((file) => rm(file, { force: true })));
}

async function filesIn(folder) {
  const names = await readdir(folder, { recursive: true });
  return names.map((name) => join(folder, name));
}

/** A compiled file has the modification time of its source, or of the options if they changed later. */
async function compileFile(source, optionsChangedAt) {
  const compiled = compiledFile(source);
  const changed = Math.max(await changedAt(source), optionsChangedAt);
  if ((await changedAt(compiled)) === changed) return;
  const text = await readFile(source, 'utf8');
  const { code } = source.endsWith('.ts')
    ? await transform(text, { filename: source, swcrc: true })
    : { code: text };
  const unfinished = `${compiled}.${process.pid}`; // another run may be loading the compiled file
  await mkdir(dirname(compiled), { recursive: true });
  await writeFile(unfinished, withPathsOfSources(code, source));
  await utimes(unfinished, changed, changed);
  await rename(unfinished, compiled);
}

/**
 * `import.meta.url` remains the address of the source file, since code reads files by paths relative to it. Programs in `bench/`
 * import from `dist/`, which needs a build; in their copies these imports lead to the compiled `src/` instead.
 */
function withPathsOfSources(code, source) {
  return code
    .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(source).href))
    .replace(/(?<= from '(\.\.\/)+)dist\//g, 'src/');
}
