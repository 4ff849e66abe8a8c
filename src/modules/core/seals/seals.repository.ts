import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager, type EntityTarget, type ObjectLiteral } from 'typeorm';
import { LOWEST_ID } from '../../../common/ids.js';
import type { SealedRow } from '../../../common/sealed-rows.js';
import { entityColumns, entityOf } from '../../../database/entity-rows.js';
import { prepared } from '../../../database/prepared.js';
import { SEALED_RECORDS, type RecordTable } from '../../../database/sealed-records.js';
import type { Snapshot } from '../../../database/snapshots.js';
import type { Tx } from '../../../database/unit-of-work.js';
import { deleteExpiredRows } from '../../../jobs/delete-batch.js';
import { CredentialSealsService, type Seal } from './credential-seals.service.js';

const BATCH_ROWS = 5000;

/**
 * The SQL column `isSealEnded`: whether `ended_seal` has the seal of a row of `table`, or one of `values`, which are SQL: seals of other
 * things whose end also ends the row, such as the token family of a session.
 */
export function isSealEnded(table: string, ...values: string[]): string {
  const seals = [`${table}.seal`, ...values].join(', ');
  return `exists (select from ended_seal where ended_seal.seal in (${seals})) as "isSealEnded"`;
}

/** A statement, for a `with` clause, that ends the seals of the rows of `rows`, which have `seal` and `expires_at`. */
export function endSealsOf(rows: string): string {
  return `insert into ended_seal (seal, expires_at) select seal, expires_at from ${rows} where seal is not null on conflict do nothing`;
}

/** What a statement reads of sealed rows besides the columns of their entity. */
interface Added<Columns> {
  /** SQL: seals of other things whose end also ends the row (`isSealEnded`). */
  readonly seals?: readonly string[];
  /** SQL of further columns, by their names. */
  readonly columns?: Readonly<Record<keyof Columns, string>>;
}

/** SQL for `sealedEntityOf`: the columns of a sealed entity, whether the seal of each row has ended, and the added columns. */
export function selectSealed(
  dataSource: DataSource,
  entity: EntityTarget<ObjectLiteral>,
  { seals = [], columns = {} }: Added<unknown> = {},
): string {
  const { tableName } = dataSource.getMetadata(entity);
  const added = Object.entries<string>(columns).map(([name, sql]) => `, ${sql} as "${name}"`);
  return `select ${entityColumns(dataSource, entity, tableName)}, ${isSealEnded(tableName, ...seals)}${added.join('')} from ${tableName}`;
}

/** The entity in a row of `selectSealed`. */
export function sealedEntityOf<Entity extends Pick<Seal, 'seal'>>(
  dataSource: DataSource,
  entity: EntityTarget<Entity>,
  row: object,
): Entity & Seal {
  const { isSealEnded: isEnded } = row as Pick<Seal, 'isSealEnded'>;
  return { ...entityOf(dataSource, entity, row), isSealEnded: isEnded };
}

/** The first of the entities that `findSealed` returns for the same arguments. */
export async function findOneSealed<Entity extends Pick<Seal, 'seal'>, Columns = unknown>(
  manager: EntityManager,
  entity: EntityTarget<Entity>,
  condition: string,
  parameters: readonly unknown[],
  added?: Added<Columns>,
): Promise<(Entity & Seal & Columns) | undefined> {
  const [first] = await findSealed(manager, entity, condition, parameters, added);
  return first;
}

/** The entities that the SQL `condition` selects, which can end with an order, a limit or a lock. The statement is prepared. */
export async function findSealed<Entity extends Pick<Seal, 'seal'>, Columns = unknown>(
  manager: EntityManager,
  entity: EntityTarget<Entity>,
  condition: string,
  parameters: readonly unknown[],
  added: Added<Columns> = {},
): Promise<(Entity & Seal & Columns)[]> {
  const { connection } = manager;
  const statement = prepared(`${selectSealed(connection, entity, added)} where ${condition}`);
  const rows = await manager.query<Record<string, unknown>[]>(statement, [...parameters]);
  const names = Object.keys(added.columns ?? {});
  return rows.map((row) => {
    const columns = Object.fromEntries(names.map((name) => [name, row[name]])) as Columns;
    return { ...sealedEntityOf(connection, entity, row), ...columns };
  });
}

interface SealedRows {
  readonly table: string;
  /** The SQL condition of the rows. `parameters` are the values of its placeholders. */
  readonly condition: string;
  readonly parameters: readonly unknown[];
  /** SQL: until when a copy of a row could open something; by default for ever. */
  readonly expiresAt?: string;
}

/** Deletes the rows and ends their seals, so that copies of the rows open nothing. Returns their number. */
export async function deleteSealed(
  tx: Tx,
  { table, condition, parameters, expiresAt = 'null::timestamptz' }: SealedRows,
): Promise<number> {
  const deleted = await tx.query<unknown[]>(
    `with deleted as (delete from ${table} where ${condition} returning seal, ${expiresAt} as expires_at),
          ended as (${endSealsOf('deleted')})
     select from deleted`,
    [...parameters],
  );
  return deleted.length;
}

/** Ends the seals of rows that stay in the table. The caller then gives them other seals. */
export async function endSeals(
  tx: Tx,
  { table, condition, parameters, expiresAt = 'null::timestamptz' }: SealedRows,
): Promise<void> {
  const ending = endSealsOf(
    `(select seal, ${expiresAt} as expires_at from ${table} where ${condition}) as ending`,
  );
  await tx.query(ending, [...parameters]);
}

/** A row of a table of `SEALED_RECORDS`: its sealed columns and its seal. */
export type StoredRecord = SealedRow<RecordTable> & Seal & { readonly id: string };

/** Deletes the seals of ended credentials, and reads and seals the records of other modules that do not expire (`SEALED_RECORDS`). */
@Injectable()
export class SealsRepository {
  constructor(
    private readonly dataSource: DataSource,
    private readonly seals: CredentialSealsService,
  ) {}

  /** Deletes the seals of `ended_seal` whose rows expired by themselves at `until` or earlier. */
  deleteExpired(until: Date, stopping: AbortSignal): Promise<void> {
    return deleteExpiredRows(this.dataSource, 'ended_seal', until, stopping);
  }

  /**
   * The ids of the applied yield reports (in the states `rate` and `fold`) without a valid seal. The seals of other records are
   * verified when they are used.
   */
  async findForgedReports(snapshot: Snapshot): Promise<string[]> {
    const reports = await snapshot.query<StoredRecord>(
      selectRecords('yield_report', `state in ('rate', 'fold') order by id`),
      [],
    );
    return reports.filter((report) => !this.seals.isAuthentic('yield_report', report)).map(({ id }) => id);
  }

  /** A batch of the records of a table, in the order of their ids, after the last one of the batch before. */
  findRecordsAfter(table: RecordTable, last?: StoredRecord): Promise<StoredRecord[]> {
    return this.dataSource.query<StoredRecord[]>(
      selectRecords(table, `id > $1 order by id limit ${BATCH_ROWS}`),
      [last?.id ?? LOWEST_ID],
    );
  }

  /** Replaces the seal, unless the row has got another seal meanwhile. */
  async replaceSeal(table: RecordTable, { id, seal }: StoredRecord, newSeal: Buffer): Promise<void> {
    await this.dataSource.query(`update ${table} set seal = $3 where id = $1 and seal = $2`, [
      id,
      seal,
      newSeal,
    ]);
  }
}

function selectRecords(table: RecordTable, condition: string): string {
  return `select ${SEALED_RECORDS[table]} where ${condition}`;
}
