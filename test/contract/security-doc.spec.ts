import { existsSync, readFileSync } from 'node:fs';

// SECURITY.md claims nothing that no test shows: every file it names exists, and has a test of every title it names.

const TEST_FILE = /`((?:src|test)\/[\w./-]+spec\.ts)`((?: “[^”]+”)?)/g;

interface Claim {
  file: string;
  /** Undefined where the whole file is meant. */
  title: string | undefined;
}

function claimsOf(document: string): Claim[] {
  return [...document.matchAll(TEST_FILE)].map(([, file = '', title = '']) => ({
    file,
    title: title ? title.slice(2, -1) : undefined,
  }));
}

function faultsOf(document: string): string[] {
  return claimsOf(document).flatMap(({ file, title }) => {
    if (!existsSync(file)) return [`there is no ${file}`];
    return title === undefined || hasTitle(file, title) ? [] : [`${file} has no “${title}”`];
  });
}

/** As a literal of the file: the text in quotes of its own. */
function hasTitle(file: string, title: string): boolean {
  const text = readFileSync(file, 'utf8');
  const escaped = title.replaceAll("'", "\\'");
  return [`'${title}'`, `'${escaped}'`, `"${title}"`, `\`${title}\``].some((literal) =>
    text.includes(literal),
  );
}

const DOCUMENT = readFileSync('SECURITY.md', 'utf8');

it('every test that SECURITY.md names exists, by file and title', () => {
  expect(faultsOf(DOCUMENT)).toEqual([]);
  expect(claimsOf(DOCUMENT).filter(({ title }) => title).length).toBeGreaterThan(100);
});

it('no line of SECURITY.md goes without a word on what shows it', () => {
  const rows = DOCUMENT.split('\n').filter((line) => /^\| (API)?\d/.test(line));
  const silent = rows.filter(
    (row) =>
      !/spec\.ts`|by design, no test|does not apply|not met|^\| [\d., ]+\| [^|]+\| (here|above|docs|README|`|the table|any number|apart|statements|secrets|proxy)/i.test(
        row,
      ),
  );
  expect(silent).toEqual([]);
  expect(rows.length).toBeGreaterThan(150);
});

it('names each requirement once', () => {
  const numbers = DOCUMENT.split('\n').flatMap(
    (line) => /^\| ([\d., ]+?) \|/.exec(line)?.[1]?.split(', ') ?? [],
  );
  expect(numbers.filter((number, place) => numbers.indexOf(number) !== place)).toEqual([]);
});

it.each([
  [
    'a file that is not there',
    '| `test/api/imaginary.spec.ts` “is safe” |',
    'there is no test/api/imaginary.spec.ts',
  ],
  [
    'a title that no test has',
    '| `test/api/sign-in.spec.ts` “is perfectly safe” |',
    'test/api/sign-in.spec.ts has no “is perfectly safe”',
  ],
])('finds %s', (_, line, fault) => {
  expect(faultsOf(line)).toEqual([fault]);
});
