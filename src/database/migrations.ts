import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { MigrationExecutor, type DataSource, type MigrationInterface, type QueryRunner } from 'typeorm';
import type { CredentialKeys } from '../common/credential-keys.js';
import { convertCredentials, convertRecords } from './credential-conversion.js';
import { formerNumber } from './former-versions.js';
import { inDigits, upgradeFormer } from './upgrade.js';

const FOLDER = fileURLToPath(new URL('../../migrations/', import.meta.url));
const LAST_OF_BASELINE = 125;
const LOCK_ID = 7_203_118; // an arbitrary number that identifies this advisory lock

/** A migration whose statements are in a file. */
interface FileMigration extends MigrationInterface {
  readonly folder: string;
  readonly keys: CredentialKeys | undefined;
}

type MigrationClass = new () => FileMigration;

/** Steps after the SQL of a file or of a section of the upgrade, in its transaction, which need a key of the service. */
const STEPS: Readonly<
  Record<string, (runner: QueryRunner, keys: CredentialKeys | undefined) => Promise<void>>
> = {
  '061-sealed-credentials': convertCredentials,
  '065-second-records': convertRecords,
};

/**
 * The statements of a file for the schema of the tables. Files name `public` in these two forms only
 * (test/contract/migrations.spec.ts).
 */
export function statementsFor(schema: string, sql: string): string {
  if (schema === 'public') return sql;
  return sql
    .replaceAll(
      'search_path = public, pg_temp',
      () => `search_path = ${pg.escapeIdentifier(schema)}, pg_temp`,
    )
    .replaceAll("schema = 'public'", () => `schema = ${pg.escapeLiteral(schema)}`);
}

interface MigrationFile {
  readonly file: string;
  readonly number: number;
  /** `112-name.sql` becomes `name0000000000112`: TypeORM orders migrations by their last thirteen digits. */
  readonly migration: string;
}

function filesIn(folder: string): MigrationFile[] {
  const files = readdirSync(folder).filter((file) => file.endsWith('.sql'));
  return files.sort().map((file) => {
    const [, number, name] = /^(\d{3})-([a-z0-9-]+)\.sql$/.exec(file) ?? [];
    if (number === undefined || name === undefined)
      throw new Error(`migrations/${file}: the name must look like 112-some-name.sql`);
    return { file, number: Number(number), migration: name + number.padStart(13, '0') };
  });
}

function migrationFromFile(
  folder: string,
  { file, migration }: MigrationFile,
  keys: CredentialKeys | undefined,
): MigrationClass {
  const sql = readFileSync(folder + file, 'utf8');
  return class implements FileMigration {
    readonly name = migration;
    readonly folder = folder;
    readonly keys = keys;

    async up(runner: QueryRunner): Promise<void> {
      await runner.query(statementsFor((await runner.getCurrentSchema()) ?? 'public', sql));
      await STEPS[file.replace('.sql', '')]?.(runner, keys);
    }

    down(): Promise<void> {
      throw new Error('Migrations cannot be reverted: add a new migration that undoes this one.');
    }
  };
}

/** Without `keys` the upgrade fails in a database that holds credentials of a version before 061. */
export function migrationsFromFiles(keys?: CredentialKeys, folder = FOLDER): MigrationClass[] {
  return filesIn(folder).map((file) => migrationFromFile(folder, file, keys));
}

/**
 * Leads a database of the former numbers to the baseline if the data source has the files of the baseline. Returns the number of the
 * newest migration that the database had.
 */
async function upgrade(dataSource: DataSource, runner: QueryRunner): Promise<number | undefined> {
  const migrations = dataSource.migrations as Partial<FileMigration>[];
  const present = migrations.find(({ folder }) => folder === FOLDER);
  const former = present && (await formerNumber(runner));
  if (former === undefined) return undefined;
  const schema = (await runner.getCurrentSchema()) ?? 'public';
  await upgradeFormer(runner, former, {
    sections: statementsFor(schema, readFileSync(`${FOLDER}upgrade/from-048.sql`, 'utf8')),
    baseline: filesIn(FOLDER)
      .filter(({ number }) => number <= LAST_OF_BASELINE)
      .map(({ file, ...rest }) => ({ ...rest, sql: readFileSync(FOLDER + file, 'utf8') })),
    after: (section) => STEPS[section]?.(runner, present?.keys),
  });
  return former;
}

/** A migration may take longer than a request. Behind a pooler the time-outs of the role would limit migrations, too. */
const WITHOUT_TIMEOUTS = `
  set local statement_timeout = 0; set local lock_timeout = 0; set local idle_in_transaction_session_timeout = 0`;

/**
 * Runs all pending migrations in one transaction and returns their number. Processes that start together wait for one
 * another on a transaction-level advisory lock, which also works behind a pooler.
 */
export async function migrate(dataSource: DataSource, say: (line: string) => void): Promise<number> {
  const { former, executed } = await dataSource.transaction(async (tx) => {
    await tx.query(WITHOUT_TIMEOUTS);
    await tx.query('select pg_advisory_xact_lock($1)', [LOCK_ID]);
    const former = await upgrade(dataSource, tx.queryRunner as QueryRunner);
    const executor = new MigrationExecutor(dataSource, tx.queryRunner);
    executor.transaction = 'none'; // this function has begun the transaction
    return { former, executed: await executor.executePendingMigrations() };
  });
  if (former !== undefined)
    say(`database: upgraded from migration ${inDigits(former)} of the former numbers`);
  if (executed.length > 0) say(`database: ${executed.length} migration(s) done`);
  return executed.length + (former === undefined ? 0 : 1);
}
