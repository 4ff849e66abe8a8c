import { readdirSync, readFileSync } from 'node:fs';

// SECURITY.md cites tests by id, such as SEC-074. Exactly one test title ends with each id in square brackets.

/** A citation; excludes ids in example commands (`npm test -- -t SEC-017`, `grep -rn SEC-017`). */
const CITATION = /(?<!-t |-rn )\b(SEC-\d+)/g;

/** A test title, or the name of a row of `it.each`, that ends with an id. */
const TITLE = /[([]\s*(['"`])(?:\\.|(?!\1)[^\\\n])* \[(SEC-\d{3})\]\1,/g;

/** Levels 1 and 2 of ASVS 5.0 have 253 requirements; 16 of them (files, WebRTC) do not apply. */
const REQUIREMENTS = 253 - 16;

/** The text of each test file, by its path. */
type Tests = ReadonlyMap<string, string>;

const idsOf = (text: string, pattern: RegExp, group = 1): string[] =>
  [...text.matchAll(pattern)].map((match) => match[group] ?? '');

function citationErrors(document: string, tests: Tests): string[] {
  const titleIds = [...tests.values()].flatMap((text) => idsOf(text, TITLE, 2));
  return idsOf(document, CITATION).flatMap((id) => {
    const count = titleIds.filter((titleId) => titleId === id).length;
    return count === 1 ? [] : [`${id} ends ${count} titles`];
  });
}

/** The ids in square brackets that the document does not cite, including misspelt ones and those inside a title. */
function uncitedIds(document: string, tests: Tests): string[] {
  const cited = new Set(idsOf(document, CITATION));
  return [...tests].flatMap(([file, text]) =>
    idsOf(text, /\[(SEC-[^\]]*)\]/g)
      .filter((id) => !cited.has(id))
      .map((id) => `${file} ${id}`),
  );
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

describe('SECURITY.md', () => {
  it('cites only ids that end exactly one test title', () => {
    expect(citationErrors(DOCUMENT, TESTS)).toEqual([]);
    expect(idsOf(DOCUMENT, CITATION).length).toBeGreaterThan(100);
  });

  it('cites every id in a test title', () => {
    expect(uncitedIds(DOCUMENT, TESTS)).toEqual([]);
  });

  it('cites a test in every row about a threat', () => {
    const [, threats = ''] = /^## Threats and defences\n(.*?)^## /ms.exec(DOCUMENT) ?? [];
    const rows = threats.split('\n').filter((line) => /^\| (?!threat|---)/.test(line));
    expect(rows.filter((row) => !row.includes('SEC-'))).toEqual([]);
    expect(rows.length).toBeGreaterThan(40);
  });

  it('lists each requirement of ASVS once', () => {
    const numbers = idsOf(DOCUMENT, /\b(\d+\.\d+\.\d+)\b/g);
    expect(numbers.filter((number, index) => numbers.indexOf(number) !== index)).toEqual([]);
    expect(numbers).toHaveLength(REQUIREMENTS);
  });
});

describe('The check of citations', () => {
  const A = 'test/a.spec.ts';
  const B = 'test/b.spec.ts';
  const testsTitled = (...ids: string[]) =>
    ids.map((id) => `it('is safe [${id}]', () => undefined);`).join('\n');

  it.each([
    ['an id that no test has', 'SEC-002', 'SEC-002 ends 0 titles'],
    ['an id that two tests of a file have', 'SEC-004', 'SEC-004 ends 2 titles'],
    ['an id that tests of two files have', 'SEC-005', 'SEC-005 ends 2 titles'],
    ['an id that is not at the end of a title', 'SEC-006', 'SEC-006 ends 0 titles'],
  ])('reports %s', (_, citation, fault) => {
    const tests = new Map([
      [A, testsTitled('SEC-001', 'SEC-004', 'SEC-004', 'SEC-005')],
      [B, `${testsTitled('SEC-003', 'SEC-005')}\n${testsTitled('SEC-006').replace(']', '] at last')}`],
    ]);
    expect(citationErrors(`| SEC-001 ${citation} |`, tests)).toEqual([fault]);
  });

  it('reports an uncited id in a title', () => {
    const tests = new Map([
      [A, testsTitled('SEC-001')],
      [B, testsTitled('SEC-002', 'SEC-02')],
    ]);
    expect(uncitedIds('| SEC-001 |', tests)).toEqual([`${B} SEC-002`, `${B} SEC-02`]);
  });
});
