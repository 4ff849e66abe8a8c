import { readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { representationsOf, type Representations } from '../response/content-coding.js';

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
};

export interface PageFile {
  readonly type: string;
  readonly representations: Representations;
}

/**
 * The built files by their path below the folder, such as `assets/console-1a2b3c4d.js`. The build has compressed them; HTML
 * that `sandbox` changes is compressed here: the pages then offer the sandbox's sign-ins.
 */
export function readPageFiles(folder: URL, { sandbox }: { sandbox: boolean }): Map<string, PageFile> {
  const root = fileURLToPath(folder);
  const names = namesIn(root).filter((name) => extname(name) in TYPES);
  return new Map(
    names.map((name) => {
      const built = readFileSync(join(root, name));
      const type = TYPES[extname(name)] as string;
      if (sandbox && extname(name) === '.html') {
        const page = Buffer.from(built.toString().replace('<html ', '<html data-sandbox '));
        const representations = representationsOf(page, brotliCompressSync(page), gzipSync(page));
        return [name, { type, representations }];
      }
      const compressed = (suffix: string) => readFileSync(join(root, `${name}.${suffix}`));
      return [name, { type, representations: representationsOf(built, compressed('br'), compressed('gz')) }];
    }),
  );
}

/** Empty if the folder does not exist: the service then has no pages. */
function namesIn(root: string): string[] {
  try {
    return readdirSync(root, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join('/'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
