import { readdirSync, readFileSync } from 'node:fs';
import { DataSource } from 'typeorm';
import { liveALife } from '../../test/fixtures/random-history-in-sql.js';
import { freshDatabase, type TestDatabase } from '../../test/harness/database.js';
import { Money } from '../kernel/money.js';

const FOLDER = new URL('../../migrations/', import.meta.url);
/** The last one of a platform that users could live on: what admins do came after it. */
const LIVED_ON = '013';

type Row = Record<string, unknown>;

/** Figures that are kept beside what they sum up; a row of nothing says what no row says. */
const FIGURES = [
  'select user_figures.* from user_figures order by user_id',
  'select * from report_rollup order by span, since, strategy_id',
  'select * from report_gap order by ended, resumed',
  'select * from list_total where rows <> 0 order by list, span, place, facets',
];

describe('Migrations on a database in which people have lived', () => {
  const databases: TestDatabase[] = [];
  const opened: DataSource[] = [];
  afterAll(async () => {
    for (const dataSource of opened) await dataSource.destroy();
    for (const database of databases) await database.drop();
  });

  async function open(template?: string): Promise<DataSource> {
    const database = await freshDatabase(template);
    databases.push(database);
    const dataSource = await new DataSource({ type: 'postgres', url: database.url }).initialize();
    opened.push(dataSource);
    return dataSource;
  }

  const apply = async (dataSource: DataSource, chosen: (number: string) => boolean): Promise<void> => {
    const files = readdirSync(FOLDER).filter((file) => chosen(file.slice(0, 3)));
    await dataSource.transaction(async (tx) => {
      for (const file of files.sort()) await tx.query(readFileSync(new URL(file, FOLDER), 'utf8'));
    });
  };

  async function figuresOf(dataSource: DataSource): Promise<Row[][]> {
    await dataSource.query('select compact_report_totals(), compact_list_totals()');
    return Promise.all(
      FIGURES.map(async (sql) => (await dataSource.query<Row[]>(sql)).map(tidy).filter(saysSomething)),
    );
  }

  it('come to the same figures as if all of it had happened after them', async () => {
    const [before, after] = [await open('template0'), await open()];
    await apply(before, (number) => number <= LIVED_ON);
    await liveALife(before);
    await apply(before, (number) => number > LIVED_ON);
    await liveALife(after);
    const [users, rollup, gaps, lists] = await figuresOf(before);
    expect([users, rollup, gaps, lists]).toEqual(await figuresOf(after));
    expect([users, rollup, gaps, lists].every((rows) => (rows?.length ?? 0) > 1)).toBe(true);
    const anew = await before.query<Row[]>('select * from user_figures_recomputed order by user_id');
    expect(anew.map(tidy).filter(saysSomething)).toEqual(users);
  });
});

/** Decimals without the zeros that say nothing. */
function tidy(row: Row): Row {
  return Object.fromEntries(
    Object.entries(row).map(([field, value]) => [
      field,
      isDecimal(value) ? Money.of(value).toString() : value,
    ]),
  );
}

function isDecimal(value: unknown): value is string {
  return typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value);
}

function saysSomething(row: Row): boolean {
  return Object.values(row).some((value) => (isDecimal(value) && value !== '0') || typeof value === 'number');
}
