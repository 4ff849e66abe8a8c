import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';

const FOLDER = new URL('../../migrations/', import.meta.url);
const LIST = 'migrations/checksums.json';

const contentOf = (file: string) => readFileSync(new URL(file, FOLDER));
const checksums = JSON.parse(contentOf('checksums.json').toString()) as Record<string, string>;
const files = readdirSync(FOLDER)
  .filter((file) => file.endsWith('.sql'))
  .sort();
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
    const lines = missing.map((file) => `  "${file}": "${checksumOf(file)}"`);
    if (missing.length > 0) throw new Error(`Add to the end of ${LIST}:\n${lines.join(',\n')}`);
  });

  it('have consecutive numbers from 001 on, so that two branches cannot add the same number', () => {
    const numbers = files.map((_, index) => String(index + 1).padStart(3, '0'));
    expect(files.map((file) => file.slice(0, 3))).toEqual(numbers);
    expect(Object.keys(checksums)).toEqual(files);
  });
});
