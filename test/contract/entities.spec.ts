import { readdirSync } from 'node:fs';
import { DataSource, type EntityMetadata } from 'typeorm';
import { freshDatabase, type TestDatabase } from '../harness/database.js';

const FILES = readdirSync('src/modules', { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.entity.ts'))
  .sort();

interface Column {
  name: string;
  type: string;
  isNullable: boolean;
}

/** TypeORM's and PostgreSQL's names of the same type. */
const TYPE_NAMES: Record<string, string> = {
  timestamptz: 'timestamp with time zone',
  int: 'integer',
  bool: 'boolean',
};

function columnsOf({ columns }: EntityMetadata, dataSource: DataSource): Column[] {
  return columns
    .map((column) => {
      const type = column.isArray ? 'ARRAY' : dataSource.driver.normalizeType(column);
      return { name: column.databaseName, type: TYPE_NAMES[type] ?? type, isNullable: column.isNullable };
    })
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

describe('Entities', () => {
  let database: TestDatabase;
  let dataSource: DataSource;

  beforeAll(async () => {
    database = await freshDatabase();
    const modules = await Promise.all(
      FILES.map(
        (file) =>
          import(`../../src/modules/${file.replace(/\.ts$/, '.js')}`) as Promise<Record<string, unknown>>,
      ),
    );
    const entities = modules.flatMap((module) =>
      Object.values(module).filter((value) => typeof value === 'function'),
    );
    dataSource = new DataSource({
      type: 'postgres',
      url: database.url,
      entities: entities as (() => void)[],
    });
    await dataSource.initialize();
  });
  afterAll(async () => {
    await dataSource.destroy();
    await database.drop();
  });

  it('have exactly the columns of their tables, with the same types and the same nullability', async () => {
    const stored: Record<string, Column[]> = {};
    for (const { tableName } of dataSource.entityMetadatas)
      stored[tableName] = await dataSource.query<Column[]>(
        `select column_name as name, data_type as type, is_nullable = 'YES' as "isNullable"
           from information_schema.columns where table_schema = 'public' and table_name = $1
          order by column_name collate "C"`,
        [tableName],
      );
    const mapped = dataSource.entityMetadatas.map((entity) => [
      entity.tableName,
      columnsOf(entity, dataSource),
    ]);
    expect(Object.fromEntries(mapped)).toEqual(stored);
  });

  it('have the primary keys of their tables', async () => {
    for (const entity of dataSource.entityMetadatas) {
      const [key] = await dataSource.query<{ columns: string[] }[]>(
        `select array_agg(attname::text order by attname collate "C") as columns
           from pg_index join pg_attribute on attrelid = indrelid and attnum = any(indkey)
          where indisprimary and indrelid = $1::regclass`,
        [entity.tableName],
      );
      const columns = entity.primaryColumns.map((column) => column.databaseName).sort();
      expect({ table: entity.tableName, columns }).toEqual({
        table: entity.tableName,
        columns: key?.columns,
      });
    }
  });
});
