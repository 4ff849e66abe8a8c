import type { Client } from 'pg';

/** A table of a backup, without generated columns. */
export interface Table {
  readonly name: string;
  readonly columns: readonly string[];
}

/** All tables of the schema, in the order of their foreign keys. */
export async function tablesOf(client: Client): Promise<Table[]> {
  const { rows } = await client.query<{ name: string; columns: string[]; needs: string[] }>(
    `select class.relname as name,
            (select array_agg(attname::text order by attnum) from pg_attribute
              where attrelid = class.oid and attnum > 0 and not attisdropped and attgenerated = '') as columns,
            (select coalesce(array_agg(distinct other.relname::text), '{}') from pg_constraint
               join pg_class as other on other.oid = confrelid
              where conrelid = class.oid and contype = 'f' and confrelid <> class.oid) as needs
       from pg_class as class
      where class.relkind = 'r' and class.relnamespace = 'public'::regnamespace
      order by class.relname`,
  );
  const placed: Table[] = [];
  let waiting = rows;
  while (waiting.length > 0) {
    const names = new Set(placed.map(({ name }) => name));
    const next = waiting.filter(({ needs }) => needs.every((name) => names.has(name)));
    if (next.length === 0) throw new Error('Tables refer to one another in a circle.');
    placed.push(...next.map(({ name, columns }) => ({ name, columns })));
    waiting = waiting.filter((row) => !next.includes(row));
  }
  return placed;
}

/** The migrations of the schema, in their order. */
export async function schemaVersion(client: Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>('select name from migrations order by id');
  return rows.map(({ name }) => name);
}

export function columnsOf(client: Client, { name, columns }: Table): string {
  const quoted = columns.map((column) => client.escapeIdentifier(column)).join(', ');
  return `${client.escapeIdentifier(name)} (${quoted})`;
}

/** The COPY statement that begins a table, in psql's syntax. */
export function copyLine(client: Client, table: Table): string {
  return `COPY ${columnsOf(client, table)} FROM stdin;\n`;
}

export const END_OF_TABLE = '\\.\n';
export const HEADER = '-- backup ';
export const TRAILER = '-- end ';
