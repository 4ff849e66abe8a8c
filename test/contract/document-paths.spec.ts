import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** A path in backquotes, or the target of a link without its anchor. Paths with wildcards or placeholders do not match. */
const PATHS =
  /`((?:\.\.?\/)*(?:src|test|docs|bench|scripts|migrations|client|docker)\/[\w./-]+)`|\]\(([\w./-]+)(?:#[\w-]*)?\)/g;
const IN_REPOSITORY = /^(src|test|docs|bench|scripts|migrations|client|docker)\//;

const documents = execFileSync('git', ['ls-files', '*.md'], { encoding: 'utf8' }).trim().split('\n');

it.each(documents)('%s names files and folders that exist', (document) => {
  const paths = [...readFileSync(document, 'utf8').matchAll(PATHS)].map(([, quoted, linked]) =>
    quoted === undefined ? join(dirname(document), linked as string) : quoted,
  );
  expect(paths.filter((path) => IN_REPOSITORY.test(path) && !existsSync(path))).toEqual([]);
});
