import './date-columns.js';
import { DataSource, type DataSourceOptions } from 'typeorm';
import type { AppConfig } from '../config/app-config.js';
import { migrate } from './migrations.js';
import { SequentialClient } from './pooled-client.js';
import { PREPARING } from './prepared.js';

const POOLER_MESSAGE = 'DATABASE_URL leads through a pooler: set DATABASE_POOLER=transaction.';
const WAIT_SECONDS = 60;
const RETRY_MS = 1000;
const SOCKET_MARGIN_MS = 1000; // the server ends a slow statement before the socket closes
/** Long enough that connections stay open between peaks of load: a new connection plans all statements again. */
const IDLE_CONNECTION_MS = 600_000;

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
 * Sets the time-outs on the database role if the service connects through a pooler, which refuses connections that carry
 * time-outs as start-up parameters.
 */
export async function setRoleTimeouts(dataSource: DataSource, config: AppConfig): Promise<void> {
  if (config.DATABASE_POOLER === 'none') return;
  await dataSource.transaction(async (tx) => {
    await tx.query(`select pg_advisory_xact_lock(hashtextextended('role-bounds', 0))`); // concurrent changes of a role fail
    const [{ name }] = await tx.query<[{ name: string }]>('select quote_ident(current_database()) as name');
    for (const [setting, milliseconds] of Object.entries(timeoutsOf(config)))
      await tx.query(`alter role current_user in database ${name} set ${setting} = ${milliseconds}`);
  });
}

/**
 * Connects, and runs pending migrations unless `migrate` is false. Tries to connect for up to a minute, and reports each failed
 * attempt through `say`.
 */
export async function openDatabase(
  options: DataSourceOptions,
  say: (line: string) => void,
  { migrate: withMigrations = true } = {},
): Promise<DataSource> {
  const dataSource = new DataSource(options);
  const deadline = Date.now() + WAIT_SECONDS * 1000;
  for (;;) {
    try {
      await dataSource.initialize();
      break;
    } catch (error) {
      const { message } = error as Error;
      if (message.includes('unsupported startup parameter'))
        throw new Error(POOLER_MESSAGE, { cause: error });
      if (Date.now() > deadline) throw error;
      say(`waiting for the database (${message || 'no connection'})`);
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
  if (withMigrations) {
    // On a separate connection: those for requests are closed if the server is silent for the statement time-out.
    const separate = await new DataSource({
      ...options,
      entities: [],
      extra: {},
    } as DataSourceOptions).initialize();
    await migrate(separate, say).finally(() => separate.destroy());
  }
  return dataSource;
}
