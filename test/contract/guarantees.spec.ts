import { existsSync, readdirSync, readFileSync } from 'node:fs';

// Rows of the README's table: | id | guarantee | `test` | figure |
const ROW =
  /^\| (?<id>G-\d{2}) \| (?<guarantee>[^|`]+) \| `(?<test>test\/[^`|]+)` \| (?<figure>[^|]*\d[^|]*) \|$/;

const lines = readFileSync('README.md', 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| G-'));
const rows = lines.map((line) => ROW.exec(line)?.groups ?? {});
const rowIds = rows.map(({ id }) => id);

const tests = readdirSync('test', { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('spec.ts'))
  .map((path) => `test/${path.replaceAll('\\', '/')}`);

/** The first argument of each call, without its quotes. */
const recordedBy = (test: string) =>
  [...readFileSync(test, 'utf8').matchAll(/recordGuarantee\(\s*([^,]+),/g)].map(([, id = '']) =>
    id.replace(/^'(.*)'$/, '$1'),
  );

describe('The guarantees of the README', () => {
  it('are there', () => expect(rows.length).toBeGreaterThan(10));

  it('have an id, a sentence, a test and a figure each', () => {
    expect(lines.filter((line) => !ROW.test(line))).toEqual([]);
  });

  it('have ids and sentences of their own', () => {
    expect(new Set(rowIds).size).toBe(rows.length);
    expect(new Set(rows.map(({ guarantee }) => guarantee)).size).toBe(rows.length);
  });

  it.each(rows.map(({ id, test }) => [id as string, test as string]))('%s is recorded by %s', (id, test) => {
    expect(existsSync(test)).toBe(true);
    expect(recordedBy(test)).toContain(id);
  });

  it('have a row for each id that a test records', () => {
    const recorded = tests.flatMap((test) => recordedBy(test).map((id) => `${id} ${test}`));
    expect(recorded.sort()).toEqual(rows.map(({ id, test }) => `${id} ${test}`).sort());
  });
});
