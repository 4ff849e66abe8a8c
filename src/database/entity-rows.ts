import type { DataSource, EntityMetadata, EntityTarget, ObjectLiteral } from 'typeorm';
import type { ColumnMetadata } from 'typeorm/metadata/ColumnMetadata.js';
import { read, write } from './statements.js';
import type { Tx } from './tx.js';

// Statements of single tables, built from the entities' metadata. Unlike TypeORM's own they are sent at once, nothing is read
// back, and each text is built once.

/** Inserts the given fields of an entity; `onConflict` is SQL. Sent at once, not awaited. */
export function insertRow<Entity extends ObjectLiteral>(
  tx: Tx,
  entity: EntityTarget<Entity>,
  fields: Partial<Entity>,
  onConflict = '',
): void {
  const { name, inserted } = tableOf(tx, entity);
  const { values, key } = storedValues(inserted, fields);
  const text = textOf(inserted, `${key} ${onConflict}`, fields, (columns) => {
    const places = columns.map((_, index) => `$${index + 1}`);
    return `insert into ${name} (${columns.join(', ')}) values (${places.join(', ')}) ${onConflict}`;
  });
  write(tx, text, values);
}

/** Updates the defined fields, if any, of a row that the transaction has locked. Sent at once, not awaited. */
export function updateRow<Entity extends ObjectLiteral & { id: string }>(
  tx: Tx,
  entity: EntityTarget<Entity>,
  id: string,
  changes: Partial<Entity>,
): void {
  const { name, updated } = tableOf(tx, entity);
  const { values, key } = storedValues(updated, changes);
  if (values.length === 0) return;
  const text = textOf(updated, key, changes, (columns) => {
    const assignments = columns.map((column, index) => `${column} = $${index + 1}`);
    return `update ${name} set ${assignments.join(', ')} where id = $${columns.length + 1}`;
  });
  write(tx, text, [...values, id]);
}

/** Locks a row FOR UPDATE and returns it; null if no row has the id. */
export async function lockRow<Entity extends ObjectLiteral & { id: string }>(
  tx: Tx,
  entity: EntityTarget<Entity>,
  id: string,
): Promise<Entity | null> {
  const [row] = await read(tx, tableOf(tx, entity).lock, [id]);
  return row ? entityOf(tx.connection, entity, row) : null;
}

/** The entity with these fields, and null in the nullable columns that are not given. */
export function withNulls<Entity extends ObjectLiteral, Fields extends Partial<Entity>>(
  tx: Tx,
  entity: EntityTarget<Entity>,
  fields: Fields,
): Entity {
  const nullable = tx.connection.getMetadata(entity).columns.filter(({ isNullable }) => isNullable);
  const nulls = Object.fromEntries(nullable.map(({ propertyName }) => [propertyName, null]));
  return { ...nulls, ...fields } as unknown as Entity;
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

interface StoredColumn {
  readonly name: string;
  readonly property: string;
  /** Undefined if the driver sends the value as it is. */
  readonly toStored: ((value: unknown) => unknown) | undefined;
}

/** The columns of an insertion or an update, with the texts that were built of them. */
interface StoredColumns {
  readonly all: readonly StoredColumn[];
  readonly texts: Map<string, string>;
}

interface Table {
  readonly name: string;
  readonly lock: string;
  readonly inserted: StoredColumns;
  readonly updated: StoredColumns;
}

const tables = new WeakMap<EntityMetadata, Table>();

function tableOf({ connection: dataSource }: Tx, entity: EntityTarget<ObjectLiteral>): Table {
  const metadata = dataSource.getMetadata(entity);
  const known = tables.get(metadata);
  if (known) return known;
  const { tableName: name, columns } = metadata;
  const stored = (column: ColumnMetadata): StoredColumn => {
    const isConverted = column.transformer !== undefined || column.type === 'jsonb';
    const toStored = (value: unknown): unknown => dataSource.driver.preparePersistentValue(value, column);
    return {
      name: column.databaseName,
      property: column.propertyName,
      toStored: isConverted ? toStored : undefined,
    };
  };
  const table = {
    name,
    lock: `select ${entityColumns(dataSource, entity, name)} from ${name} where id = $1 for update`,
    inserted: {
      all: columns.filter(({ isInsert }) => isInsert).map(stored),
      texts: new Map<string, string>(),
    },
    updated: {
      all: columns.filter(({ isUpdate }) => isUpdate).map(stored),
      texts: new Map<string, string>(),
    },
  };
  tables.set(metadata, table);
  return table;
}

/** The values of the defined fields, and a key of the set of their columns. */
function storedValues({ all }: StoredColumns, fields: ObjectLiteral): { values: unknown[]; key: string } {
  const values: unknown[] = [];
  let bits = 0; // exact, because no table has more than 53 columns
  let bit = 1;
  for (const { property, toStored } of all) {
    const value: unknown = fields[property];
    if (value !== undefined) {
      values.push(toStored ? toStored(value) : value);
      bits += bit;
    }
    bit *= 2;
  }
  return { values, key: String(bits) };
}

/** The text for the columns of the defined fields, which `build` makes if it is new. */
function textOf(
  { all, texts }: StoredColumns,
  key: string,
  fields: ObjectLiteral,
  build: (columns: string[]) => string,
): string {
  let text = texts.get(key);
  if (text === undefined) {
    text = build(all.filter(({ property }) => fields[property] !== undefined).map(({ name }) => name));
    texts.set(key, text);
  }
  return text;
}
