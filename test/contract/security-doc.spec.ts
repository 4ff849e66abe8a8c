import { readdirSync, readFileSync } from 'node:fs';

// SECURITY.md cites tests by file and id: `test/api/sign-in.spec.ts` SEC-074. The id ends the title of one test of that file.

/** A file in backticks, or an id; but for the ids of commands (`npm test -- -t SEC-017`). */
const CITATION = /`((?:src|test)\/[\w./-]+spec\.ts)`|(?<!-t )\b(SEC-\d+)/g;

/** A title, or the name of a row of `it.each`, that ends with an id. */
const TITLE = /[([]\s*(['"`])(?:\\.|(?!\1)[^\\\n])* \[(SEC-\d{3})\]\1,/g;

interface Claim {
  /** The file that the same line names last before the id. */
  file: string | undefined;
  /** Undefined where the file is named: that it exists is a claim as well. */
  id: string | undefined;
}

/** The text of each test file, by its path. */
type Tests = ReadonlyMap<string, string>;

function claimsOf(document: string): Claim[] {
  return document.split('\n').flatMap((line) => {
    let file: string | undefined;
    return [...line.matchAll(CITATION)].map(([, path, id]) => ({ file: (file = path ?? file), id }));
  });
}

function titleIdsOf(text: string): string[] {
  return [...text.matchAll(TITLE)].map(([, , id = '']) => id);
}

function faultsOf(document: string, tests: Tests): string[] {
  const places = new Map<string, string[]>();
  for (const [file, text] of tests) {
    for (const id of titleIdsOf(text)) places.set(id, [...(places.get(id) ?? []), file]);
  }
  return claimsOf(document).flatMap(({ file, id }) => {
    if (file === undefined) return [`no file is named before ${id}`];
    if (id === undefined) return tests.has(file) ? [] : [`there is no ${file}`];
    const found = places.get(id) ?? [];
    if (!found.includes(file)) return [`${file} has no ${id}`];
    return found.length === 1 ? [] : [`${id} stands in ${found.length} titles: ${found.join(', ')}`];
  });
}

/** Takes every id in square brackets, so that it also finds one that is misspelt or not at the end of a title. */
function uncitedIn(document: string, tests: Tests): string[] {
  const cited = new Set(claimsOf(document).map(({ file, id }) => `${file} ${id}`));
  return [...tests]
    .flatMap(([file, text]) => [...text.matchAll(/\[(SEC-[^\]]*)\]/g)].map(([, id]) => `${file} ${id}`))
    .filter((place) => !cited.has(place));
}

const DOCUMENT = readFileSync('SECURITY.md', 'utf8');
const TESTS: Tests = new Map(
  ['src', 'test']
    .flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((path) => `${folder}/${path}`),
    )
    .filter((path) => path.endsWith('spec.ts'))
    .map((path) => [path.replaceAll('\\', '/'), readFileSync(path, 'utf8')]),
);

it('every test that SECURITY.md cites exists, by file and id', () => {
  expect(faultsOf(DOCUMENT, TESTS)).toEqual([]);
  expect(claimsOf(DOCUMENT).filter(({ id }) => id).length).toBeGreaterThan(100);
});

it('every id in a test title is cited in SECURITY.md', () => {
  expect(uncitedIn(DOCUMENT, TESTS)).toEqual([]);
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

describe('These checks', () => {
  const [A, B] = ['test/a.spec.ts', 'test/b.spec.ts'];
  const titled = (...ids: string[]) => ids.map((id) => `it('is safe [${id}]', () => undefined);`).join('\n');

  it.each([
    ['a file that is not there', '`test/api/imaginary.spec.ts`', 'there is no test/api/imaginary.spec.ts'],
    ['an id that no test has', `\`${A}\` SEC-002`, `${A} has no SEC-002`],
    ['an id that a test of another file has', `\`${A}\` SEC-001, SEC-003`, `${A} has no SEC-003`],
    ['an id that two tests of a file have', `\`${A}\` SEC-004`, `SEC-004 stands in 2 titles: ${A}, ${A}`],
    ['an id that tests of two files have', `\`${B}\` SEC-005`, `SEC-005 stands in 2 titles: ${A}, ${B}`],
    ['an id that is not at the end of a title', `\`${B}\` SEC-006`, `${B} has no SEC-006`],
    ['an id without a file', 'SEC-001', 'no file is named before SEC-001'],
  ])('finds %s', (_, citation, fault) => {
    const tests = new Map([
      [A, titled('SEC-001', 'SEC-004', 'SEC-004', 'SEC-005')],
      [B, `${titled('SEC-003', 'SEC-005')}\n${titled('SEC-006').replace(']', '] at last')}`],
    ]);
    expect(faultsOf(`| ${citation} |`, tests)).toEqual([fault]);
  });

  it('finds an id in a title that is cited nowhere, or for another file', () => {
    const tests = new Map([
      [A, titled('SEC-001')],
      [B, titled('SEC-001', 'SEC-02')],
    ]);
    expect(uncitedIn(`| \`${A}\` SEC-001 |`, tests)).toEqual([`${B} SEC-001`, `${B} SEC-02`]);
  });
});
