import { Socket } from 'node:net';
import pg from 'pg';
import { DataSource, type DataSourceOptions } from 'typeorm';
import type { AppConfig } from '../config/app-config.js';
import { migrate } from './migrations.js';
import { PreparingClient } from './prepared.js';

const DATE_OID = 1082;
pg.types.setTypeParser(DATE_OID, (text) => text); // a day is text here, never a Date in some time zone

const BEHIND_A_POOLER = 'DATABASE_URL leads through a pooler: set DATABASE_POOLER=transaction.';
const WAIT_SECONDS = 60;
const RETRY_MS = 1000;
const SERVER_SPEAKS_FIRST_MS = 1000;

/** Connection options: every wait is bounded, so that one held lock or a lost server never hangs a request. */
export function databaseOptions(config: AppConfig, url: string = config.DATABASE_URL) {
  return {
    type: 'postgres',
    url,
    synchronize: false,
    poolSize: config.DATABASE_POOL_SIZE,
    applicationName: 'stablecoin-platform',
    extra: {
      connectionTimeoutMillis: config.DATABASE_POOL_WAIT_MS,
      ...(config.DATABASE_POOLER === 'none' ? { ...boundsOf(config), Client: PreparingClient } : {}),
      keepAlive: true,
      stream: () => mortalSocket(config.DATABASE_STATEMENT_MS + SERVER_SPEAKS_FIRST_MS),
    },
  } satisfies DataSourceOptions;
}

function boundsOf(config: AppConfig): Record<string, number> {
  return {
    statement_timeout: config.DATABASE_STATEMENT_MS,
    lock_timeout: config.DATABASE_LOCK_MS,
    idle_in_transaction_session_timeout: config.DATABASE_STATEMENT_MS,
  };
}

/**
 * A pooler knows sessions of its own only, and refuses to open one with bounds: there the role has them, in this
 * database.
 */
export async function boundRole(dataSource: DataSource, config: AppConfig): Promise<void> {
  if (config.DATABASE_POOLER === 'none') return;
  await dataSource.transaction(async (tx) => {
    await tx.query(`select pg_advisory_xact_lock(hashtextextended('role-bounds', 0))`); // others start beside us
    const [{ name }] = (await tx.query('select quote_ident(current_database()) as name')) as [
      { name: string },
    ];
    for (const [setting, milliseconds] of Object.entries(boundsOf(config)))
      await tx.query(`alter role current_user in database ${name} set ${setting} = ${milliseconds}`);
  });
}

/**
 * The server ends a statement or says something before this time is over: whoever is silent longer is gone, and
 * the network has kept it to itself. Idle connections may go too; the pool opens new ones.
 */
function mortalSocket(silenceMs: number): Socket {
  const socket = new Socket();
  return socket.setTimeout(silenceMs, () =>
    socket.destroy(new Error('Connection terminated: the server is silent')),
  );
}

/** Connects, waiting for the server with a line a second, and brings the schema up to date. */
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
        throw new Error(BEHIND_A_POOLER, { cause: error });
      if (Date.now() > deadline) throw error;
      say(`waiting for the database (${message || 'no connection'})`);
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
  if (withMigrations) await migrateWithoutHurry(options, say);
  return dataSource;
}

/** Over connections of its own: building an index may take longer than any request is given. */
async function migrateWithoutHurry(options: DataSourceOptions, say: (line: string) => void): Promise<void> {
  await withoutHurry(options, {}, (unhurried) => migrate(unhurried, say));
}

/** Work over connections of its own, with other waits than a request's: `extra` goes to the driver. */
export async function withoutHurry<Result>(
  options: DataSourceOptions,
  extra: object,
  work: (unhurried: DataSource) => Promise<Result>,
): Promise<Result> {
  const unhurried = new DataSource({ ...options, entities: [], extra } as DataSourceOptions);
  await unhurried.initialize();
  try {
    return await work(unhurried);
  } finally {
    await unhurried.destroy();
  }
}
