import pg from 'pg';
import { singleHostAddresses } from '../config/database-address.js';
import { type Host, PrimaryHost } from './primary-host.js';

/** SQLSTATE of a server that accepts no further connection: it is the primary all the same. */
const TOO_MANY_CLIENTS = '53300';

/**
 * Settings of a database session on which the code relies, with the values that it needs. A role or a database can have other
 * ones, as can the settings that a pooler has left in a session. PostgreSQL has `transaction_timeout` since version 17.
 */
const SETTINGS = {
  DateStyle: 'ISO, MDY',
  IntervalStyle: 'postgres',
  TimeZone: 'UTC',
  extra_float_digits: '1',
  standard_conforming_strings: 'on',
  bytea_output: 'hex',
  array_nulls: 'on',
  transform_null_equals: 'off',
  default_transaction_isolation: 'read committed',
  idle_session_timeout: '0',
  transaction_timeout: '0',
} as const;

const ROWS = Object.entries(SETTINGS)
  .map(([name, value]) => `('${name}', '${value}')`)
  .join(', ');

/**
 * The schema of the tables. Among the schemas of the session's search path and `public` it is the one that has the tables or, in a new
 * database, one in which the role may create them, preferably `public`.
 */
const SCHEMA_SQL = `
  select coalesce((
    select nspname
      from unnest(current_schemas(false) || name 'public') with ordinality as candidate (name, position)
      join pg_catalog.pg_namespace on nspname = candidate.name,
           lateral (select exists (select from pg_catalog.pg_class where relnamespace = pg_namespace.oid and relname = 'strategy_nav'))
             as existing (has_tables)
     order by has_tables desc, not has_tables and has_schema_privilege(pg_namespace.oid, 'create') desc,
              not has_tables and nspname = 'public' desc, position
     limit 1), 'public') as schema`;

/**
 * The names and values for this server: those of `SETTINGS` that it has; `search_path` with the tables and the extension pg_trgm,
 * which may be in a schema of its own; and `synchronous_commit = on` if it is off, with which a confirmed write could be lost.
 */
export const SESSION_SETTINGS_SQL = `
  select name, value
    from (values ${ROWS},
           ('search_path', (
              select concat_ws(', ', quote_ident(schema), quote_ident(nullif(nspname, schema)))
                from (${SCHEMA_SQL}) as own
                left join (pg_catalog.pg_extension join pg_catalog.pg_namespace on pg_namespace.oid = extnamespace)
                  on extname = 'pg_trgm')),
           ('synchronous_commit', case current_setting('synchronous_commit') when 'off' then 'on' end)
         ) as setting (name, value)
   where value is not null and current_setting(name, true) is not null`;

const SET_SQL = `select set_config(name, value, false) from (${SESSION_SETTINGS_SQL}) as needed`;

/**
 * A connection to the host that accepts writes. It sets the settings of its session before its first use, with one statement. Behind a
 * pooler in transaction mode the next transaction may run in another session: there PgBouncer itself sets those that PostgreSQL
 * reports (DateStyle, IntervalStyle, TimeZone, standard_conforming_strings), and `setRoleSettings` stores all of them for new sessions.
 */
export class SessionClient extends pg.Client {
  private readonly primary: PrimaryHost | undefined;

  constructor(config: string | pg.ClientConfig = {}) {
    const options = typeof config === 'string' ? { connectionString: config } : config;
    const { connectionString: address } = options;
    super(
      address === undefined ? options : { ...options, connectionString: singleHostAddresses(address)[0] },
    );
    this.primary = address === undefined ? undefined : PrimaryHost.of(address);
  }

  override connect(): Promise<pg.Client>;
  override connect(callback: ((error: Error) => void) | ((error: null, client: pg.Client) => void)): void;
  override connect(callback?: (error: never, client: pg.Client) => void): Promise<pg.Client> | undefined {
    const connected = this.connectToPrimary();
    if (!callback) return connected;
    connected.then(
      () => callback(null as never, this),
      (error: unknown) => callback(error as never, this),
    );
    return undefined;
  }

  /** After a failure of the host, or of a write that it refused, the next connection searches the primary again. */
  protected forgetPrimary(): void {
    this.primary?.forget();
  }

  /** As `forgetPrimary`, but without waiting for the next connection: those to a host that was replaced are closed soon. */
  protected searchPrimary(): void {
    this.forgetPrimary();
    void this.primary?.find().catch(() => undefined);
  }

  private async connectToPrimary(): Promise<pg.Client> {
    try {
      if (this.primary) Object.assign(this, (await this.primary.find()) satisfies Host);
      await super.connect();
      this.primary?.closeWhenReplaced(this);
      await super.query(SET_SQL);
      return this;
    } catch (error) {
      if ((error as { code?: string }).code !== TOO_MANY_CLIENTS) this.forgetPrimary();
      void super.end().catch(() => undefined);
      throw error;
    }
  }
}
