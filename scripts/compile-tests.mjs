// Compiles the TypeScript files with swc (.swcrc) to dist/tests. Run by Jest before the tests, because workers need twice as long to
// start if each of them compiles the files that it imports; compiles only what has changed.
import { mkdir, readdir, readFile, rename, stat, utimes, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { transform } from '@swc/core';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const FOLDERS = ['src', 'test', 'client', 'bench', 'scripts'];

/** The address of the compiled file, for `import`; `source` is absolute or relative to the root of the repository. */
export const compiledUrl = (source) => pathToFileURL(compiledFile(resolve(ROOT, source))).href;

const compiledFile = (source) => join(ROOT, 'dist/tests', relative(ROOT, source).replace(/\.ts$/, '.js'));

/** The modification time in seconds since 1970, to the millisecond; 0 if the file does not exist. */
const changedAt = (file) =>
  stat(file).then(
    ({ mtimeMs }) => Math.round(mtimeMs) / 1000,
    () => 0,
  );

/** Compiles the files that changed since the last call. */
export default async function compile() {
  const optionFiles = [join(ROOT, '.swcrc'), fileURLToPath(import.meta.url)];
  const optionsChangedAt = Math.max(...(await Promise.all(optionFiles.map(changedAt))));
  for (const folder of FOLDERS) {
    const names = await readdir(join(ROOT, folder), { recursive: true });
    const sources = names.filter((name) => /(?<!\.d)\.ts$|\.mjs$/.test(name));
    await Promise.all(sources.map((name) => compileFile(join(ROOT, folder, name), optionsChangedAt)));
  }
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
