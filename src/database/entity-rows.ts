import type { DataSource, EntityTarget, ObjectLiteral } from 'typeorm';

// For statements that join or rank beyond what TypeORM builds, and still return whole entities.

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
