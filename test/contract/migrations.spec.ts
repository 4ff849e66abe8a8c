import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { statementsFor } from '../../src/database/migrations.js';

const FOLDER = new URL('../../migrations/', import.meta.url);
const LIST = 'migrations/checksums.json';

const contentOf = (file: string) => readFileSync(new URL(file, FOLDER));
const checksums = JSON.parse(contentOf('checksums.json').toString()) as Record<string, string>;
const numbered = readdirSync(FOLDER)
  .filter((file) => file.endsWith('.sql'))
  .sort();
const files = [...numbered, 'upgrade/from-048.sql'];
const checksumOf = (file: string) => createHash('sha256').update(contentOf(file)).digest('hex');

describe('Migration files', () => {
  it('are never changed or removed once they are listed in migrations/checksums.json', () => {
    const changed = Object.keys(checksums).filter(
      (file) => !files.includes(file) || checksumOf(file) !== checksums[file],
    );
    if (changed.length > 0)
      throw new Error(
        `${changed.join(', ')} differs from ${LIST}. Databases have already applied it and will not apply it again: ` +
          'restore the file and put the change into a new file with the next number (migrations/README.md).',
      );
  });

  it('are all listed in migrations/checksums.json', () => {
    const missing = files.filter((file) => !(file in checksums));
    if (missing.length > 0) throw new Error(`${LIST} lacks ${missing.join(', ')}: run npm run generate.`);
  });

  it(`name the schema public only as "search_path = public, pg_temp" and "schema = 'public'", which statementsFor replaces`, () => {
    // What still names public after the replacement is another form. Comments may name it.
    const naming = files.filter((file) =>
      statementsFor('own', contentOf(file).toString().replaceAll(/--.*$/gm, '')).match(/\bpublic\b/),
    );
    expect(naming).toEqual([]);
    // Nothing is replaced where the tables are in public.
    expect(statementsFor('public', 'set search_path = public, pg_temp')).toBe(
      'set search_path = public, pg_temp',
    );
  });

  it('have consecutive numbers from 101 on, so that two branches cannot add the same number', () => {
    const numbers = numbered.map((_, index) => String(index + 101));
    expect(numbered.map((file) => file.slice(0, 3))).toEqual(numbers);
    expect(Object.keys(checksums).toSorted()).toEqual(files);
  });
});
