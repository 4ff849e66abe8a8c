import { existsSync, readFileSync } from 'node:fs';

// Rows of the README's table: | promise | `test` | figure |
const ROW = /^\| (?<promise>[^|`]+) \| `(?<test>test\/[^`|]+)` \| (?<figure>[^|]*\d[^|]*) \|$/gm;

const rows = [...readFileSync('README.md', 'utf8').matchAll(ROW)].map(({ groups = {} }) => groups);

/** Each `kept('…'` of a test, with what a template leaves open. */
const promisesOf = (test: string) =>
  [...readFileSync(test, 'utf8').matchAll(/kept\(\s*(['"`])(.*?)\1,/gs)].map(
    ([, , sentence = '']) => sentence,
  );

describe('The promises of the README', () => {
  it('are there', () => expect(rows.length).toBeGreaterThan(10));

  it.each(rows.map(({ promise, test }) => [promise as string, test as string]))(
    '“%s” is told by %s',
    (promise, test) => {
      expect(existsSync(test)).toBe(true);
      expect(promisesOf(test)).toContain(promise);
    },
  );
});
