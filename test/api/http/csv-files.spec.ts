import { pipeline } from 'node:stream/promises';
import { Readable } from 'node:stream';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { freshDatabase, type TestDatabase } from '../../harness/database.js';
import { readCsv } from '../../../src/modules/backoffice/reconciliation/domain/statement-reader.js';
import { csvRow } from '../../../src/http/response/csv.js';

const TEXTS = [
  'plain',
  'a;=1+1@example.org',
  'a,=1+1',
  '=HYPERLINK("http://x";"y")',
  "=cmd|' /C calc'!A0",
  '+49 30 1234',
  '-1+1',
  '@SUM(A1)',
  '＝1+1',
  '－2',
  '\u200b=1',
  '\ufeff=1',
  ' =1',
  '\t=1',
  '\r=1',
  '\n=1',
  'two\r\n=lines',
  'tab\t=1',
  'say "no"',
  '"',
  '""',
  '";=1;"',
  "'",
  '\\.',
  '\\N',
  'a\u2028b',
  '',
];
const AMOUNTS = ['0', '-0.000001', '1000000.50', '-1000000.50', '9'.repeat(18)];
/** A spreadsheet skips spaces and invisible characters before the sign of a formula. */
const IS_FORMULA = /^[\s\p{Cc}\p{Cf}]*[=+\-@＝＋－＠]/u;

/** Each row: a text in the first and in the second column, and an amount. */
const ROWS = TEXTS.map((text, index) => [text, text, AMOUNTS[index % AMOUNTS.length] as string]);
const FILE = ROWS.map((row) => csvRow(row)).join('');

/** A parser has to return each text, with an apostrophe in front if it begins like a formula, and each amount as it is. */
function expectRows(rows: readonly (readonly string[])[]): void {
  expect(rows).toHaveLength(ROWS.length);
  for (const [index, [first = '', second = '', amount]] of rows.entries()) {
    const text = TEXTS[index] as string;
    expect(first).toBe(IS_FORMULA.test(text) ? `'${text}` : text);
    expect(second).toBe(first);
    expect(amount).toBe(ROWS[index]?.[2]);
  }
}

describe('A file of hostile texts', () => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await freshDatabase('template0');
  });
  afterAll(() => database?.drop());

  it('is read without a formula, and with the same amounts, by a strict parser of RFC 4180 [SEC-523]', () => {
    expectRows(readCsv(FILE, ROWS.length).map(({ cells }) => cells));
  });

  it('is read without a formula, and with the amounts as numbers, by PostgreSQL [SEC-524]', async () => {
    const client = new pg.Client(database.url);
    await client.connect();
    await client.query('create temporary table import (a text, b text, amount numeric, line serial)');
    const copy = `copy import (a, b, amount) from stdin (format csv, force_not_null (a, b))`;
    await pipeline(Readable.from([FILE]), client.query(copyFrom(copy)));
    const { rows } = await client.query<{ a: string; b: string; amount: string }>(
      'select a, b, amount from import order by line',
    );
    await client.end();
    expectRows(rows.map(({ a, b, amount }) => [a, b, amount]));
  });
});
