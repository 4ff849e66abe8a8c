import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../../', import.meta.url));
/** What swc has compiled, by the content and the place of the source: each worker of each run reads it again. */
const compiled = join(root, 'dist/imported');
const compiler = createRequire(import.meta.url)('@swc/core/package.json').version;
const options = readFileSync(join(root, '.swcrc'), 'utf8');
mkdirSync(compiled, { recursive: true });

/** Sources import each other as `./x.js`, as tsc wants it: the file is `./x.ts`. */
export async function resolve(specifier, context, next) {
  if (specifier.startsWith('.') && specifier.endsWith('.js')) {
    const url = new URL(specifier.replace(/js$/, 'ts'), context.parentURL);
    if (existsSync(url)) return { url: url.href, format: 'module', shortCircuit: true };
  }
  return next(specifier, context);
}

export async function load(url, context, next) {
  const { protocol, pathname } = new URL(url);
  if (protocol !== 'file:' || !pathname.endsWith('.ts')) return next(url, context);
  return { format: 'module', source: await javaScriptOf(fileURLToPath(url)), shortCircuit: true };
}

async function javaScriptOf(filename) {
  const source = await readFile(filename, 'utf8');
  const hash = createHash('sha256').update([compiler, options, filename, source].join('\0')).digest('hex');
  const file = join(compiled, `${hash}.js`);
  try {
    return await readFile(file, 'utf8');
  } catch {
    const { transform } = await import('@swc/core');
    const { code } = await transform(source, { filename, swcrc: true });
    writeFileSync(`${file}.${process.pid}`, code); // beside it first: another worker may read it now
    renameSync(`${file}.${process.pid}`, file);
    return code;
  }
}
