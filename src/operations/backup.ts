import { createHash } from 'node:crypto';
import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { Client } from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { inOneTransaction } from './connection.js';
import {
  copyLine,
  END_OF_TABLE,
  HEADER,
  schemaVersion,
  tableAndColumns,
  tablesOf,
  TRAILER,
} from './tables.js';

/** The number of rows by table. */
export type RowCounts = Record<string, number>;

/**
 * Writes all data of a database to `out`, compressed and with a checksum at the end. Other sessions may write meanwhile: COPY
 * reads all tables in one snapshot. Memory use is constant.
 */
export async function backup(databaseUrl: string, out: Writable): Promise<RowCounts> {
  return inOneTransaction(
    databaseUrl,
    'backup',
    'isolation level repeatable read read only',
    async (client) => {
      const rows: RowCounts = {};
      await pipeline(Readable.from(withChecksum(content(client, rows), rows)), createGzip(), out);
      return rows;
    },
  );
}

/** Fills in `rows` while it yields the header and the tables. */
async function* content(client: Client, rows: RowCounts): AsyncGenerator<Buffer> {
  const header = { schema: await schemaVersion(client), sequences: await sequencesOf(client) };
  yield Buffer.from(`${HEADER}${JSON.stringify(header)}\n`);
  for (const table of await tablesOf(client)) {
    yield Buffer.from(copyLine(client, table));
    const copy = client.query(copyTo(`copy ${tableAndColumns(client, table)} to stdout`));
    for await (const chunk of copy) yield chunk as Buffer;
    rows[table.name] = copy.rowCount;
    yield Buffer.from(END_OF_TABLE);
  }
}

/** Passes the chunks through and appends a line with their checksum and the numbers of rows. */
async function* withChecksum(chunks: AsyncGenerator<Buffer>, rows: RowCounts): AsyncGenerator<Buffer> {
  const hash = createHash('sha256');
  for await (const chunk of chunks) {
    hash.update(chunk);
    yield chunk;
  }
  yield Buffer.from(`${TRAILER}${JSON.stringify({ sha256: hash.digest('hex'), rows })}\n`);
}

/**
 * The last value of each sequence that was used. A snapshot does not contain sequences: a value that is read after the
 * snapshot was taken may be higher than those in its rows, never lower.
 */
async function sequencesOf(client: Client): Promise<Record<string, string>> {
  const { rows } = await client.query<{ name: string; last: string | null }>(
    `select sequencename as name, last_value::text as last from pg_sequences where schemaname = current_schema()`,
  );
  return Object.fromEntries(rows.flatMap(({ name, last }) => (last === null ? [] : [[name, last]])));
}
