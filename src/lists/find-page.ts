import type { EntityManager, EntityTarget, ObjectLiteral } from 'typeorm';
import { entityColumns, entityOf } from '../database/entity-rows.js';
import { preparedIfFew } from '../database/prepared.js';
import { countRows } from './count-rows.js';
import { ListPage, offsetOf, type ListOrder, type Page, type PageRequest } from './list-page.js';

/** SQL after `where`, and its parameters. */
export interface ListFilter {
  readonly where: string;
  readonly parameters: readonly unknown[];
}

/**
 * The conditions whose values are defined, in which `?` stands for the value. Only these get into the statement, so that each can
 * use its index.
 */
export function listFilter(...conditions: readonly (readonly [sql: string, value: unknown])[]): ListFilter {
  const given = conditions.filter(([, value]) => value !== undefined);
  return {
    where: given.map(([sql], index) => sql.replaceAll('?', `$${index + 1}`)).join(' and ') || 'true',
    parameters: given.map(([, value]) => value),
  };
}

type EntityFilter = ListFilter & Pick<ListSource, 'isPrepared'>;

/** A list that is read from one table or from a join whose rows have the order of an index. */
export interface ListSource extends ListFilter {
  readonly columns: string;
  /** SQL after `from`. */
  readonly from: string;
  /** Few rows are read with any parameters (`preparedIfFew`). */
  readonly isPrepared?: boolean;
  /**
   * The rows of `from` are large or computed: finds the ids of the page, in an index if there is one, and reads only these rows. `id` is
   * unique in `from`, and the columns and keys do not name a table.
   */
  readonly hasLargeRows?: boolean;
}

export async function findPage<Stored extends object, Row>(
  manager: Pick<EntityManager, 'query'>,
  { columns, from, where, parameters, isPrepared, hasLargeRows }: ListSource,
  order: ListOrder,
  request: PageRequest,
  toRow: (stored: Stored) => Row,
): Promise<Page<Row>> {
  const values = [...parameters];
  const page = new ListPage(request, order, values);
  const rows = `${from} where (${where}) and ${page.condition} ${page.orderBy} ${page.limit}`;
  // The limit of 1 makes PostgreSQL look up each id instead of joining all rows.
  const found = hasLargeRows
    ? `(select id as page_id from ${rows}) as page
       cross join lateral (select * from ${from} where id = page_id limit 1) as listed ${page.orderBy}`
    : rows;
  const sql = `select ${columns}, ${page.key} from ${found}`;
  return page.cut(await manager.query<Stored[]>(isPrepared ? preparedIfFew(sql) : sql, values), toRow);
}

/** One page of the rows of an entity's table. */
export function findEntityPage<Entity extends ObjectLiteral>(
  manager: EntityManager,
  entity: EntityTarget<Entity>,
  filter: EntityFilter,
  order: ListOrder,
  request: PageRequest,
): Promise<Page<Entity>> {
  const { connection } = manager;
  const { tableName } = connection.getMetadata(entity);
  const source = { ...filter, columns: entityColumns(connection, entity, tableName), from: tableName };
  return findPage(manager, source, order, request, (row: object) =>
    entityOf<Entity>(connection, entity, row),
  );
}

/** `findEntityPage` with the number of rows that the filter selects, which is counted at the same time. */
export async function findCountedPage<Entity extends ObjectLiteral>(
  manager: EntityManager,
  entity: EntityTarget<Entity>,
  filter: EntityFilter,
  order: ListOrder,
  request: PageRequest,
): Promise<Page<Entity> & { total: number }> {
  const [page, total] = await Promise.all([
    findEntityPage(manager, entity, filter, order, request),
    countListed(manager, { ...filter, from: manager.connection.getMetadata(entity).tableName }),
  ]);
  return { ...page, total };
}

/** The number of rows that a page tells by itself: if it has a number and shows the last row. Otherwise undefined. */
export function countOf({ rows, hasNext }: Page<unknown>, request: PageRequest): number | undefined {
  const offset = offsetOf(request);
  const isLast = !request.cursor?.position && !hasNext && (rows.length > 0 || offset === 0);
  return isLast ? offset + rows.length : undefined;
}

export function countListed(
  manager: Pick<EntityManager, 'query'>,
  { from, where, parameters, isPrepared }: Omit<ListSource, 'columns'>,
): Promise<number> {
  return countRows(manager, `${from} where ${where}`, parameters, isPrepared);
}
