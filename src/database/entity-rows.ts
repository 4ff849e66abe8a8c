import type { DataSource, EntityTarget, ObjectLiteral } from 'typeorm';
import { read, write } from './statements.js';
import type { Tx } from './tx.js';

// Statements of single tables, built from the entities' metadata. Unlike TypeORM's own they are sent at once, and nothing is read
// back.

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
  const { table, columns, values } = storedFields(tx, entity, fields, 'isInsert');
  const places = columns.map((_, index) => `$${index + 1}`);
  write(
    tx,
    `insert into ${table} (${columns.join(', ')}) values (${places.join(', ')}) ${onConflict}`,
    values,
  );
  const nulls = tx.connection.getMetadata(entity).columns.filter(({ isNullable }) => isNullable);
  return {
    ...Object.fromEntries(nulls.map(({ propertyName }) => [propertyName, null])),
    ...fields,
  } as Entity;
}

/** Updates the defined fields, if any, of a row that the transaction has locked. Sent at once, not awaited. */
export function updateRow<Entity extends ObjectLiteral & { id: string }>(
  tx: Tx,
  entity: EntityTarget<Entity>,
  id: string,
  changes: Partial<Entity>,
): void {
  const { table, columns, values } = storedFields(tx, entity, changes, 'isUpdate');
  if (columns.length === 0) return;
  const assignments = columns.map((column, index) => `${column} = $${index + 2}`);
  write(tx, `update ${table} set ${assignments.join(', ')} where id = $1`, [id, ...values]);
}

/** Locks a row FOR UPDATE and returns it; null if no row has the id. */
export async function lockRow<Entity extends ObjectLiteral & { id: string }>(
  tx: Tx,
  entity: EntityTarget<Entity>,
  id: string,
): Promise<Entity | null> {
  const { tableName } = tx.connection.getMetadata(entity);
  const columns = entityColumns(tx.connection, entity, tableName);
  const [row] = await read(tx, `select ${columns} from ${tableName} where id = $1 for update`, [id]);
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

function storedFields(
  tx: Tx,
  entity: EntityTarget<ObjectLiteral>,
  fields: ObjectLiteral,
  isWritten: 'isInsert' | 'isUpdate',
) {
  const { tableName: table, columns: all } = tx.connection.getMetadata(entity);
  const columns: string[] = [];
  const values: unknown[] = [];
  for (const column of all) {
    const value: unknown = column.getEntityValue(fields);
    if (value === undefined || !column[isWritten]) continue;
    columns.push(column.databaseName);
    values.push(tx.connection.driver.preparePersistentValue(value, column));
  }
  return { table, columns, values };
}
