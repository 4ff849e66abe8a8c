import { databaseAddress } from './database-address.js';
import { integer, oneOf, urls } from './readers.js';
import { REQUIRED, setting } from './setting.js';

/** The settings of PostgreSQL. */
export const DATABASE_SETTINGS = {
  DATABASE_URL: setting(databaseAddress, REQUIRED, 'PostgreSQL 16 or newer', {
    isSecret: true,
  }),
  DATABASE_WAIT_SECONDS: setting(
    integer(1, 3600),
    60,
    'longest wait for the database at the start; then the process ends and logs what to change',
  ),
  DATABASE_POOL_SIZE: setting(integer(2, 500), 20, 'connections per process'),
  DATABASE_POOL_WAIT_MS: setting(
    integer(50, 10_000),
    500,
    'longest wait for a free connection before a request is answered 503',
  ),
  DATABASE_STATEMENT_MS: setting(integer(100, 600_000), 10_000, 'longest run of one statement'),
  DATABASE_LOCK_MS: setting(
    integer(50, 60_000),
    750,
    'longest wait for a lock before a request is answered 503',
  ),
  DATABASE_POOLER: setting(
    oneOf('none', 'transaction'),
    'none' as const,
    'transaction: DATABASE_URL leads through a pooler such as PgBouncer in transaction mode',
  ),
  DATABASE_NOTICES_URL: setting(
    databaseAddress,
    undefined,
    'address of PostgreSQL itself for notifications, which a pooler does not carry; without it, behind a pooler, sessions are looked up at every request and there is no live delivery',
    { isSecret: true },
  ),
  DATABASE_REPLICA_URLS: setting(
    urls('postgres:', 'postgresql:'),
    [] as string[],
    'read replicas, for reports',
    { isSecret: true },
  ),
  DATABASE_REPLICA_LAG_SECONDS: setting(
    integer(1, 3600),
    10,
    'reports are read from the primary while a replica is further behind',
  ),
} as const;
