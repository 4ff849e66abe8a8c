import type { DataSource, EntityMetadata, EntityTarget, ObjectLiteral } from 'typeorm';
import type { ColumnMetadata } from 'typeorm/metadata/ColumnMetadata.js';
import { read, write } from './statements.js';
import type { Tx } from './tx.js';

// Statements of single tables, built from the entities' metadata. Unlike TypeORM's own they are sent at once, and nothing is read
// back. Each text is built once.

/**
 * Inserts the given fields of an entity; `onConflict` is SQL. Sent at once, not awaited. Returns the entity, with null in nullable
 * columns that are not given; columns that the database fills are missing.
 */
export function insertRow<Entity extends ObjectLiteral>(
  tx: Tx,
  entity: EntityTarget<Entity>,
  fields: Partial<Entity>,
  onConflict = '',
): Entity {
  const table = tableOf(tx.connection, entity);
  const { values, columnKey } = storedValues(tx, table, fields, 'isInsert');
  const text = textOf(table, `insert ${columnKey} ${onConflict}`, () => {
    const columns = table.columns.filter((column) => isStored(column, fields, 'isInsert'));
    const places = columns.map((_, index) => `$${index + 1}`);
    const names = columns.map(({ databaseName }) => databaseName);
    return `insert into ${table.name} (${names.join(', ')}) values (${places.join(', ')}) ${onConflict}`;
  });
  write(tx, text, values);
  return { ...table.nulls, ...fields } as Entity;
}

/** Updates the defined fields, if any, of a row that the transaction has locked. Sent at once, not awaited. */
export function updateRow<Entity extends ObjectLiteral & { id: string }>(
  tx: Tx,
  entity: EntityTarget<Entity>,
  id: string,
  changes: Partial<Entity>,
): void {
  const table = tableOf(tx.connection, entity);
  const { values, columnKey } = storedValues(tx, table, changes, 'isUpdate');
  if (values.length === 0) return;
  const text = textOf(table, `update ${columnKey}`, () => {
    const columns = table.columns.filter((column) => isStored(column, changes, 'isUpdate'));
    const assignments = columns.map(({ databaseName }, index) => `${databaseName} = $${index + 1}`);
    return `update ${table.name} set ${assignments.join(', ')} where id = $${columns.length + 1}`;
  });
  write(tx, text, [...values, id]);
}

/** Locks a row FOR UPDATE and returns it; null if no row has the id. */
export async function lockRow<Entity extends ObjectLiteral & { id: string }>(
  tx: Tx,
  entity: EntityTarget<Entity>,
  id: string,
): Promise<Entity | null> {
  const table = tableOf(tx.connection, entity);
  const text = textOf(table, 'lock', () => {
    const columns = entityColumns(tx.connection, entity, table.name);
    return `select ${columns} from ${table.name} where id = $1 for update`;
  });
  const [row] = await read(tx, text, [id]);
  return row ? entityOf(tx.connection, entity, row) : null;
}

/** The select list of all columns of an entity, qualified by the table's name in the statement. */
export function entityColumns(
  dataSource: DataSource,
  entity: EntityTarget<ObjectLiteral>,
  table: string,
): string {
  const { columns } = dataSource.getMetadata(entity);
  return columns.map(({ databaseName }) => `${table}.${databaseName}`).join(', ');
}

/** The entity in a row of a statement that selects `entityColumns`. */
export function entityOf<Entity extends ObjectLiteral>(
  dataSource: DataSource,
  entity: EntityTarget<Entity>,
  row: object,
): Entity {
  const metadata = dataSource.getMetadata(entity);
  const result = metadata.create() as Entity;
  for (const column of metadata.columns) {
    const stored = (row as Record<string, unknown>)[column.databaseName];
    column.setEntityValue(result, dataSource.driver.prepareHydratedValue(stored, column));
  }
  return result;
}

interface EntityTable {
  readonly name: string;
  readonly columns: readonly ColumnMetadata[];
  /** null in each nullable column. */
  readonly nulls: ObjectLiteral;
  readonly texts: Map<string, string>;
}

const tables = new WeakMap<EntityMetadata, EntityTable>();

function tableOf(dataSource: DataSource, entity: EntityTarget<ObjectLiteral>): EntityTable {
  const metadata = dataSource.getMetadata(entity);
  const known = tables.get(metadata);
  if (known) return known;
  const { tableName: name, columns } = metadata;
  const nullable = columns.filter(({ isNullable }) => isNullable);
  const nulls = Object.fromEntries(nullable.map(({ propertyName }) => [propertyName, null]));
  const table = { name, columns, nulls, texts: new Map<string, string>() };
  tables.set(metadata, table);
  return table;
}

function textOf({ texts }: EntityTable, key: string, build: () => string): string {
  let text = texts.get(key);
  if (text === undefined) {
    text = build();
    texts.set(key, text);
  }
  return text;
}

type Kind = 'isInsert' | 'isUpdate';

function isStored(column: ColumnMetadata, fields: ObjectLiteral, kind: Kind): boolean {
  return column[kind] && fields[column.propertyName] !== undefined;
}

/** The values of the given fields as they are stored, and a number that stands for the set of their columns. */
function storedValues(tx: Tx, { columns }: EntityTable, fields: ObjectLiteral, kind: Kind) {
  const values: unknown[] = [];
  let columnKey = 0;
  columns.forEach((column, index) => {
    if (!isStored(column, fields, kind)) return;
    columnKey += 2 ** index; // exact, because no entity has more than 53 columns
    const isConverted = column.transformer !== undefined || column.type === 'jsonb';
    const value: unknown = fields[column.propertyName];
    values.push(isConverted ? tx.connection.driver.preparePersistentValue(value, column) : value);
  });
  return { values, columnKey };
}
