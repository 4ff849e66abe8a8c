import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { MigrationExecutor, type DataSource, type MigrationInterface, type QueryRunner } from 'typeorm';

const FOLDER = fileURLToPath(new URL('../../migrations/', import.meta.url));
const LOCK_ID = 7_203_118; // an arbitrary number that identifies this advisory lock

type MigrationClass = new () => MigrationInterface;

/** `012-name.sql` becomes the migration `name0000000000012`: TypeORM orders migrations by their last thirteen digits. */
function migrationFromFile(file: string): MigrationClass {
  const [, number, name] = /^(\d{3})-([a-z0-9-]+)\.sql$/.exec(file) ?? [];
  if (number === undefined || name === undefined)
    throw new Error(`migrations/${file}: the name must look like 001-some-name.sql`);
  const sql = readFileSync(FOLDER + file, 'utf8');
  const migrationName = name + number.padStart(13, '0');
  return class implements MigrationInterface {
    readonly name = migrationName;

    async up(runner: QueryRunner): Promise<void> {
      await runner.query(sql);
    }

    down(): Promise<void> {
      throw new Error('Migrations cannot be reverted: add a new migration that undoes this one.');
    }
  };
}

export function migrationsFromFiles(): MigrationClass[] {
  return readdirSync(FOLDER)
    .filter((file) => file.endsWith('.sql'))
    .sort()
    .map(migrationFromFile);
}

/** A migration may take longer than a request. Behind a pooler the time-outs of the role would limit migrations, too. */
const WITHOUT_TIMEOUTS = `
  set local statement_timeout = 0; set local lock_timeout = 0; set local idle_in_transaction_session_timeout = 0`;

/**
 * Runs all pending migrations in one transaction and returns their number. Processes that start together wait for one
 * another on a transaction-level advisory lock, which also works behind a pooler.
 */
export async function migrate(dataSource: DataSource, say: (line: string) => void): Promise<number> {
  const executed = await dataSource.transaction(async (tx) => {
    await tx.query(WITHOUT_TIMEOUTS);
    await tx.query('select pg_advisory_xact_lock($1)', [LOCK_ID]);
    const executor = new MigrationExecutor(dataSource, tx.queryRunner);
    executor.transaction = 'none'; // this function has begun the transaction
    return executor.executePendingMigrations();
  });
  if (executed.length > 0) say(`database: ${executed.length} migration(s) done`);
  return executed.length;
}
