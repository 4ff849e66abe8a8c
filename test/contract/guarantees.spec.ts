import { existsSync, readdirSync, readFileSync } from 'node:fs';

const DOCUMENT = 'docs/guarantees.md';

// Table rows: | id | guarantee | `test` | figure |
const ROW =
  /^\| (?<id>G-\d{2}) \| (?<guarantee>[^|`]+) \| `(?<test>test\/[^`|]+)` \| (?<figure>[^|]*\d[^|]*) \|$/;

const lines = readFileSync(DOCUMENT, 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| G-'));
const rows = lines.map((line) => ROW.exec(line)?.groups ?? {});
const rowIds = rows.map(({ id }) => id);

const tests = readdirSync('test', { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('spec.ts'))
  .map((path) => `test/${path.replaceAll('\\', '/')}`);

/** The ids that a test file passes to `recordGuarantee`. */
const recordedBy = (test: string) =>
  [...readFileSync(test, 'utf8').matchAll(/recordGuarantee\(\s*([^,]+),/g)].map(([, id = '']) =>
    id.replace(/^'(.*)'$/, '$1'),
  );

describe(DOCUMENT, () => {
  it('lists more than ten guarantees', () => expect(rows.length).toBeGreaterThan(10));

  it('states id, sentence, test and figure of each guarantee', () => {
    expect(lines.filter((line) => !ROW.test(line))).toEqual([]);
  });

  it('repeats no id and no sentence', () => {
    expect(new Set(rowIds).size).toBe(rows.length);
    expect(new Set(rows.map(({ guarantee }) => guarantee)).size).toBe(rows.length);
  });

  it.each(rows.map(({ id, test }) => [id as string, test as string]))(
    'names the test that records %s: %s',
    (id, test) => {
      expect(existsSync(test)).toBe(true);
      expect(recordedBy(test)).toContain(id);
    },
  );

  it('has a row for each id that a test records', () => {
    const recorded = tests.flatMap((test) => recordedBy(test).map((id) => `${id} ${test}`));
    expect(recorded.sort()).toEqual(rows.map(({ id, test }) => `${id} ${test}`).sort());
  });

  it('lists every file of the service whose commits need not reach the disk', () => {
    const usesOf = (text: string) =>
      readdirSync('src', { recursive: true, encoding: 'utf8' })
        .map((path) => `src/${path.replaceAll('\\', '/')}`)
        .filter((path) => /(?<!spec)\.ts$/.test(path) && readFileSync(path, 'utf8').includes(text));
    // The definition, the check of sessions, and the servers of tests. All others use the constant.
    expect(usesOf('synchronous_commit').sort()).toEqual([
      'src/database/session-settings.ts',
      'src/events/commit-horizons.ts',
      'src/sandbox/postgres.ts',
    ]);
    const users = usesOf('COMMIT_WITHOUT_FLUSH_SQL').filter(
      (path) => path !== 'src/events/commit-horizons.ts',
    );
    expect(users).not.toHaveLength(0);
    for (const path of users) expect(readFileSync(DOCUMENT, 'utf8')).toContain(`\`${path}\``);
  });
});
