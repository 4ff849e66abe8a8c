import type { Client } from 'pg';

/** A table of a backup, without generated columns. */
export interface Table {
  readonly name: string;
  readonly columns: readonly string[];
}

/** All tables of the schema. A table comes after the tables to which its foreign keys refer (`needs`). */
export async function tablesOf(client: Client): Promise<Table[]> {
  const { rows } = await client.query<{ name: string; columns: string[]; needs: string[] }>(
    `select class.relname as name,
            (select array_agg(attname::text order by attnum) from pg_attribute
              where attrelid = class.oid and attnum > 0 and not attisdropped and attgenerated = '') as columns,
            (select coalesce(array_agg(distinct other.relname::text), '{}') from pg_constraint
               join pg_class as other on other.oid = confrelid
              where conrelid = class.oid and contype = 'f' and confrelid <> class.oid) as needs
       from pg_class as class
      where class.relkind = 'r' and class.relnamespace = quote_ident(current_schema())::regnamespace
      order by class.relname`,
  );
  const sorted: Table[] = [];
  let remaining = rows;
  while (remaining.length > 0) {
    const names = new Set(sorted.map(({ name }) => name));
    const next = remaining.filter(({ needs }) => needs.every((name) => names.has(name)));
    if (next.length === 0) throw new Error('Tables refer to one another in a circle.');
    sorted.push(...next.map(({ name, columns }) => ({ name, columns })));
    remaining = remaining.filter((row) => !next.includes(row));
  }
  return sorted;
}

/** The names of the migrations that have run, in their order. */
export async function schemaVersion(client: Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>('select name from migrations order by id');
  return rows.map(({ name }) => name);
}

/** The table with its columns in parentheses, quoted, as COPY expects them. */
export function tableAndColumns(client: Client, { name, columns }: Table): string {
  const quoted = columns.map((column) => client.escapeIdentifier(column)).join(', ');
  return `${client.escapeIdentifier(name)} (${quoted})`;
}

/** The line of a backup before the rows of a table: a COPY statement in psql's syntax. */
export function copyLine(client: Client, table: Table): string {
  return `COPY ${tableAndColumns(client, table)} FROM stdin;\n`;
}

/** The line of a backup after the rows of a table. */
export const END_OF_TABLE = '\\.\n';
/** The beginnings of the first and of the last line of a backup. JSON follows them. */
export const HEADER = '-- backup ';
export const TRAILER = '-- end ';
