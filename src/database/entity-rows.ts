import type { DataSource, EntityManager, EntityTarget, ObjectLiteral } from 'typeorm';
import { prepared } from './prepared.js';
import type { Tx } from './unit-of-work.js';

// For statements that TypeORM cannot build, such as joins with ranks, and for the statements of the money path: TypeORM
// builds its SQL anew at each call and cannot prepare it (see DEC-54 in docs/decisions.md).

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

/** Locks the row with this id until the transaction ends, by a prepared statement. */
export async function lockEntity<Entity extends ObjectLiteral>(
  tx: Tx,
  entity: EntityTarget<Entity>,
  id: string,
): Promise<Entity | null> {
  const { tableName } = tx.connection.getMetadata(entity);
  const columns = entityColumns(tx.connection, entity, tableName);
  const sql = prepared(`select ${columns} from ${tableName} where id = $1 for update`);
  const [row] = await tx.query<object[]>(sql, [id]);
  return row ? entityOf(tx.connection, entity, row) : null;
}

/** Inserts an entity by a prepared statement. Undefined fields get the column's default. Returns the rows of `returning`. */
export async function insertEntity<Entity extends ObjectLiteral>(
  tx: Tx,
  entity: EntityTarget<Entity>,
  values: Partial<Entity>,
  clauses = '',
): Promise<unknown[]> {
  const { tableName } = tx.connection.getMetadata(entity);
  const { names, stored } = storedValues(tx, entity, values);
  const places = names.map((_, index) => `$${index + 1}`);
  return tx.query<unknown[]>(
    prepared(`insert into ${tableName} (${names.join(', ')}) values (${places.join(', ')}) ${clauses}`),
    stored,
  );
}

/** The entity as a row of JSON, by the names of its columns. Not for columns of the type `jsonb`. */
export function entityRow<Entity extends ObjectLiteral>(
  manager: EntityManager,
  entity: EntityTarget<Entity>,
  values: Partial<Entity>,
): Record<string, unknown> {
  const { names, stored } = storedValues(manager, entity, values);
  return Object.fromEntries(names.map((name, index) => [name, stored[index]]));
}

/** Updates the defined fields of the row with this id by a prepared statement. */
export async function updateEntity<Entity extends ObjectLiteral>(
  tx: Tx,
  entity: EntityTarget<Entity>,
  id: string,
  changes: Partial<Entity>,
): Promise<void> {
  const { tableName } = tx.connection.getMetadata(entity);
  const { names, stored } = storedValues(tx, entity, changes);
  const assignments = names.map((name, index) => `${name} = $${index + 2}`);
  await tx.query(prepared(`update ${tableName} set ${assignments.join(', ')} where id = $1`), [
    id,
    ...stored,
  ]);
}

function storedValues<Entity extends ObjectLiteral>(
  { connection }: EntityManager,
  entity: EntityTarget<Entity>,
  values: Partial<Entity>,
): { names: string[]; stored: unknown[] } {
  const columns = connection
    .getMetadata(entity)
    .columns.filter((column) => column.getEntityValue(values) !== undefined);
  return {
    names: columns.map(({ databaseName }) => databaseName),
    stored: columns.map((column): unknown =>
      connection.driver.preparePersistentValue(column.getEntityValue(values), column),
    ),
  };
}
