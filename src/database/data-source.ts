import './date-columns.js';
import type pg from 'pg';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { sqlState } from '../common/errors/sql-state.js';
import type { AppConfig } from '../config/app-config.js';
import { migrate } from './migrations.js';
import { SequentialClient } from './pooled-client.js';
import { PREPARING } from './prepared.js';
import { SESSION_SETTINGS_SQL, SessionClient } from './session-settings.js';

/** SQLSTATE of a statement for which the role lacks a right. */
const INSUFFICIENT_PRIVILEGE = '42501';
const MIGRATE_FIRST_MESSAGE =
  'The role of DATABASE_URL must not change tables, and migrations are pending. Run npm run migrate with the role that owns the tables first.';
const SOCKET_MARGIN_MS = 1000; // the server ends a slow statement before the socket closes
/** Long enough that connections stay open between peaks of load: a new connection plans all statements again. */
const IDLE_CONNECTION_MS = 600_000;

/** The name of the sessions that migrate. */
export const MIGRATING = 'stablecoin-platform migrate';

/** Connection options. Every wait has a time-out, so that neither a lock nor a lost server blocks a request for ever. */
export function databaseOptions(config: AppConfig, url: string = config.DATABASE_URL) {
  return {
    type: 'postgres',
    url,
    synchronize: false,
    poolSize: config.DATABASE_POOL_SIZE,
    applicationName: 'stablecoin-platform',
    extra: {
      connectionTimeoutMillis: config.DATABASE_POOL_WAIT_MS,
      ...(config.DATABASE_POOLER === 'none'
        ? { ...timeoutsOf(config), ...PREPARING }
        : { Client: SequentialClient }),
      keepAlive: true,
      idleTimeoutMillis: IDLE_CONNECTION_MS,
      silenceMs: config.DATABASE_STATEMENT_MS + SOCKET_MARGIN_MS,
    },
  } satisfies DataSourceOptions;
}

function timeoutsOf(config: AppConfig): Record<string, number> {
  return {
    statement_timeout: config.DATABASE_STATEMENT_MS,
    lock_timeout: config.DATABASE_LOCK_MS,
    idle_in_transaction_session_timeout: config.DATABASE_STATEMENT_MS,
  };
}

/**
 * Stores the time-outs and the settings of sessions with the database role if the service connects through a pooler, which
 * refuses connections that carry time-outs as start-up parameters and changes the session between transactions.
 */
export async function setRoleSettings(dataSource: DataSource, config: AppConfig): Promise<void> {
  if (config.DATABASE_POOLER === 'none') return;
  await dataSource.transaction(async (tx) => {
    await tx.query(`select pg_advisory_xact_lock(hashtextextended('role-bounds', 0))`); // concurrent changes of a role fail
    const [{ name }] = await tx.query<[{ name: string }]>('select quote_ident(current_database()) as name');
    const settings = await tx.query<{ name: string; value: string }[]>(
      `select name, case name when 'search_path' then value else quote_literal(value) end as value
         from (${SESSION_SETTINGS_SQL}) as needed`,
    );
    const timeouts = Object.entries(timeoutsOf(config)).map(([timeout, value]) => ({ name: timeout, value }));
    for (const setting of [...timeouts, ...settings])
      await tx.query(`alter role current_user in database ${name} set ${setting.name} = ${setting.value}`);
  });
}

/** Connects, after pending migrations unless `migrate` is false. */
export async function openDatabase(
  options: DataSourceOptions,
  say: (line: string) => void,
  { migrate: withMigrations = true } = {},
): Promise<DataSource> {
  if (withMigrations) await migrateFirst(options, say);
  return new DataSource(options).initialize();
}

/**
 * Migrates on a separate connection. A connection for requests is closed if the server is silent for the statement time-out, and the
 * upgrade of a former database would take it for a connection of the former version.
 */
async function migrateFirst(options: DataSourceOptions, say: (line: string) => void): Promise<void> {
  const separate = await new DataSource({
    ...options,
    entities: [],
    applicationName: MIGRATING,
    extra: {
      Client: SessionClient,
      connectionTimeoutMillis: (options.extra as pg.PoolConfig | undefined)?.connectionTimeoutMillis,
    },
  } as DataSourceOptions).initialize();
  try {
    await migrate(separate, say);
  } catch (error) {
    if (sqlState(error) !== INSUFFICIENT_PRIVILEGE) throw error;
    throw new Error(MIGRATE_FIRST_MESSAGE, { cause: error });
  } finally {
    await separate.destroy();
  }
}
