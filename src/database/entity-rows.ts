import type {
  DataSource,
  EntityManager,
  EntityMetadata,
  EntityTarget,
  ObjectLiteral,
  ValueTransformer,
} from 'typeorm';
import type { ColumnMetadata } from 'typeorm/metadata/ColumnMetadata.js';
import { prepared } from './prepared.js';
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
  const { text, values } = insertionOf(tx, entity, fields, onConflict);
  write(tx, text, values);
}

/** Inserts the given fields of an entity unless the row conflicts with another one. Returns whether it was inserted. */
export async function insertIfNew<Entity extends ObjectLiteral>(
  manager: EntityManager,
  entity: EntityTarget<Entity>,
  fields: Partial<Entity>,
): Promise<boolean> {
  const { text, values } = insertionOf(manager, entity, fields, 'on conflict do nothing returning true');
  const inserted = await manager.query<unknown[]>(prepared(text), values);
  return inserted.length > 0;
}

function insertionOf<Entity extends ObjectLiteral>(
  { connection }: EntityManager,
  entity: EntityTarget<Entity>,
  fields: Partial<Entity>,
  onConflict: string,
) {
  const { name, inserted } = tableOf(connection, entity);
  return inserted.statementFor(fields, onConflict, (columns) => {
    const places = columns.map((_, index) => `$${index + 1}`);
    return `insert into ${name} (${columns.join(', ')}) values (${places.join(', ')}) `;
  });
}

/** Updates the defined fields, if any, of a row that the transaction has locked. Sent at once, not awaited. */
export function updateRow<Entity extends ObjectLiteral & { id: unknown }>(
  tx: Tx,
  entity: EntityTarget<Entity>,
  id: Entity['id'],
  changes: Partial<Entity>,
): void {
  const { name, updated } = tableOf(tx.connection, entity);
  const { text, values } = updated.statementFor(changes, '', (columns) => {
    const assignments = columns.map((column, index) => `${column} = $${index + 1}`);
    return `update ${name} set ${assignments.join(', ')} where id = $${columns.length + 1}`;
  });
  if (values.length > 0) write(tx, text, [...values, id]);
}

/** The entities of the rows that `tail`, the SQL behind the name of the table, selects. Prepared. */
export async function findRows<Entity extends ObjectLiteral>(
  manager: EntityManager,
  entity: EntityTarget<Entity>,
  tail: string,
  values: readonly unknown[] = [],
): Promise<Entity[]> {
  const { connection } = manager;
  const statement = prepared(`${tableOf(connection, entity).select} ${tail}`);
  const rows = await manager.query<object[]>(statement, [...values]);
  return rows.map((row) => entityOf(connection, entity, row));
}

/** The first of the rows that `findRows` would return; undefined if there is none. */
export async function findRow<Entity extends ObjectLiteral>(
  manager: EntityManager,
  entity: EntityTarget<Entity>,
  tail: string,
  values: readonly unknown[] = [],
): Promise<Entity | undefined> {
  return (await findRows(manager, entity, tail, values))[0];
}

/** As `findRow`, but sent by `read`: the first reads of a transaction go out together with BEGIN. */
export async function readRow<Entity extends ObjectLiteral>(
  tx: Tx,
  entity: EntityTarget<Entity>,
  tail: string,
  values: readonly unknown[] = [],
): Promise<Entity | undefined> {
  const [row] = await read(tx, `${tableOf(tx.connection, entity).select} ${tail}`, values);
  return row && entityOf(tx.connection, entity, row);
}

/** Locks a row FOR UPDATE and returns it; null if no row has the id. */
export async function lockRow<Entity extends ObjectLiteral & { id: string }>(
  tx: Tx,
  entity: EntityTarget<Entity>,
  id: string,
): Promise<Entity | null> {
  const [row] = await read(tx, tableOf(tx.connection, entity).lock, [id]);
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
  const { create, columns } = tableOf(dataSource, entity);
  const result = create();
  for (const { name, property, toEntity } of columns) {
    const stored = (row as Record<string, unknown>)[name];
    result[property] = toEntity ? toEntity(stored) : stored;
  }
  return result as Entity;
}

/** A column with the conversions of its values; undefined if the driver's values are those of the entity. */
interface Column {
  readonly name: string;
  readonly property: string;
  readonly toStored: ((value: unknown) => unknown) | undefined;
  readonly toEntity: ((stored: unknown) => unknown) | undefined;
}

const toJson = (value: unknown) => (value === null ? null : JSON.stringify(value));

function columnOf({ databaseName, propertyName, type, transformer }: ColumnMetadata): Column {
  const { to, from } = (transformer ?? {}) as Partial<ValueTransformer>;
  const toStored = type === 'jsonb' ? (value: unknown) => toJson(to ? to(value) : value) : to;
  return { name: databaseName, property: propertyName, toStored, toEntity: from };
}

/** The columns that an insertion or an update can write, with one statement for each set of them that was written so far. */
class WrittenColumns {
  private readonly texts = new Map<string, string>();

  constructor(private readonly columns: readonly Column[]) {}

  /** The values of the defined fields, and the text for their columns, which `build` makes if it is new. */
  statementFor(fields: ObjectLiteral, suffix: string, build: (columns: string[]) => string) {
    const values: unknown[] = [];
    let key = 0; // one bit for each column: exact, because no table has more than 53
    let bit = 1;
    for (const { property, toStored } of this.columns) {
      const value: unknown = fields[property];
      if (value !== undefined) {
        values.push(toStored ? toStored(value) : value);
        key += bit;
      }
      bit *= 2;
    }
    let text = this.texts.get(key + suffix);
    if (text === undefined) {
      const given = this.columns.filter(({ property }) => fields[property] !== undefined);
      text = build(given.map(({ name }) => name)) + suffix;
      this.texts.set(key + suffix, text);
    }
    return { text, values };
  }
}

const tables = new WeakMap<EntityMetadata, ReturnType<typeof readTable>>();

/** The name, columns and texts of an entity's table, which are derived once from its metadata. */
function tableOf(dataSource: DataSource, entity: EntityTarget<ObjectLiteral>) {
  const metadata = dataSource.getMetadata(entity);
  const table = tables.get(metadata) ?? readTable(dataSource, metadata);
  tables.set(metadata, table);
  return table;
}

function readTable(dataSource: DataSource, metadata: EntityMetadata) {
  const { tableName: name, columns, target } = metadata;
  const all = entityColumns(dataSource, target, name);
  return {
    name,
    select: `select ${all} from ${name}`,
    lock: `select ${all} from ${name} where id = $1 for update`,
    create: () => metadata.create() as ObjectLiteral,
    columns: columns.map(columnOf),
    inserted: new WrittenColumns(columns.filter(({ isInsert }) => isInsert).map(columnOf)),
    updated: new WrittenColumns(columns.filter(({ isUpdate }) => isUpdate).map(columnOf)),
  };
}
