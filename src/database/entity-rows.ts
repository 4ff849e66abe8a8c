import type { DataSource, EntityManager, EntityTarget, ObjectLiteral } from 'typeorm';

// For statements that TypeORM cannot build, such as joins with ranks, and for rows that are sent as JSON (DEC-54 in
// docs/decisions.md).

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

/** The defined fields of an entity as a row of JSON, by the names of its columns. Not for columns of the type `jsonb`. */
export function entityRow<Entity extends ObjectLiteral>(
  { connection }: EntityManager,
  entity: EntityTarget<Entity>,
  values: Partial<Entity>,
): Record<string, unknown> {
  const row: Record<string, unknown> = {};
  for (const column of connection.getMetadata(entity).columns) {
    const value: unknown = column.getEntityValue(values);
    if (value !== undefined)
      row[column.databaseName] = connection.driver.preparePersistentValue(value, column);
  }
  return row;
}
