import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import type { Client } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import type { RowCounts } from './backup.js';
import { inOneTransaction } from './connection.js';
import {
  copyLine,
  END_OF_TABLE,
  HEADER,
  schemaVersion,
  tableAndColumns,
  tablesOf,
  TRAILER,
  type Table,
} from './tables.js';

/**
 * Restores a backup into an empty database with the same schema version, in one transaction. Throws for a truncated or
 * altered file, a backup of another version, and a database with data; the database is then unchanged. The role must own the
 * tables, because the restore disables their triggers.
 */
export async function restore(databaseUrl: string, file: Readable): Promise<RowCounts> {
  try {
    return await inOneTransaction(databaseUrl, 'restore', '', (client) => load(client, linesOf(file)));
  } catch (error) {
    throw isAboutTheFile(error) ? new Error(`The backup is damaged: ${error.message}.`) : error;
  }
}

async function load(client: Client, lines: AsyncGenerator<Buffer, void>): Promise<RowCounts> {
  const hash = createHash('sha256');
  const nextLine = async (): Promise<Buffer> => {
    const line = await lines.next();
    if (line.done) throw new Error('The backup ends too soon.');
    return line.value;
  };
  const nextHashed = async () => {
    const line = await nextLine();
    hash.update(line);
    return line;
  };

  const header = jsonAfter<{ schema: string[]; sequences: Record<string, string> }>(
    await nextHashed(),
    HEADER,
  );
  await requireSameSchema(client, header.schema);
  const tables = await tablesOf(client);
  await requireNoData(client, tables);
  await withEmptiedTables(client, tables, async () => {
    for (const table of tables) {
      const begin = (await nextHashed()).toString();
      if (begin !== copyLine(client, table))
        throw new Error(
          `The backup is damaged: it does not contain the table ${table.name} where it is expected.`,
        );
      await fill(client, table, nextHashed);
    }
  });
  const { sha256, rows } = jsonAfter<{ sha256: string; rows: RowCounts }>(await nextLine(), TRAILER);
  if (hash.digest('hex') !== sha256) throw new Error('The backup is damaged: its checksum does not match.');
  for (const [sequence, last] of Object.entries(header.sequences)) {
    await client.query('select setval($1::regclass, $2)', [client.escapeIdentifier(sequence), last]);
  }
  // The platform may have published a checkpoint after the backup was made; an admin decides how the log continues.
  await client.query('update proof_log set restored_at = now()');
  return rows;
}

async function fill(client: Client, table: Table, next: () => Promise<Buffer>): Promise<void> {
  const rows = async function* () {
    for (let line = await next(); line.toString() !== END_OF_TABLE; line = await next()) yield line;
  };
  // If a line cannot be read, `pipeline` ends the COPY, which would otherwise block the connection.
  await pipeline(rows, client.query(copyFrom(`copy ${tableAndColumns(client, table)} from stdin`)));
}

/** The SQLSTATE of a table that does not exist. */
const UNDEFINED_TABLE = '42P01';

async function requireSameSchema(client: Client, schema: string[]): Promise<void> {
  const schemaOfDatabase = await schemaVersion(client).catch((error: Error & { code?: string }) => {
    if (error.code === UNDEFINED_TABLE) return []; // no migration has run
    throw error;
  });
  if (JSON.stringify(schemaOfDatabase) === JSON.stringify(schema)) return;
  const latest = (names: string[]) => names.at(-1) ?? 'none';
  throw new Error(
    `The backup is of schema ${latest(schema)}, the database of ${latest(schemaOfDatabase)}. Migrate an empty database with the version that made the backup.`,
  );
}

/** The tables that contain rows although the platform has no users. Rows in any other table prevent a restore. */
export const FILLED_BY_ITSELF: ReadonlySet<string> = new Set([
  'migrations',
  'job_run',
  'lease',
  'replica_beat',
  'sla_minute',
  'strategy',
  'strategy_nav',
  'strategy_accrual',
  'integrity_run',
  'ledger_account',
  'alert',
  'proof_log',
  'proof_checkpoint',
  'proof_key',
  'proof_leaf',
  'proof_tile',
  'report_rollup',
  'total_mark',
  'total_run',
  'liability_day',
  'liability_tree',
  'domain_event',
  'event_consumer',
]);

async function requireNoData(client: Client, tables: Table[]): Promise<void> {
  const queries = tables
    .filter(({ name }) => !FILLED_BY_ITSELF.has(name))
    .map(({ name }) => {
      const table = client.escapeIdentifier(name);
      return `select ${client.escapeLiteral(name)} as name where exists (select from ${table})`;
    });
  const { rows } = await client.query<{ name: string }>(queries.join(' union all '));
  if (rows.length === 0) return;
  const names = rows.map(({ name }) => name).sort();
  throw new Error(`The database holds data already (${names.join(', ')}). Restore into an empty one.`);
}

/**
 * Empties the tables, since the backup also contains the rows that migrations insert. Disables the triggers during
 * `work`, since the backup contains the rows that they would write, too.
 */
async function withEmptiedTables(client: Client, tables: Table[], work: () => Promise<void>): Promise<void> {
  const names = tables.map(({ name }) => client.escapeIdentifier(name));
  for (const name of names) await client.query(`alter table ${name} disable trigger user`);
  await client.query(`truncate ${names.join(', ')}`);
  await work();
  await client.query('set constraints all immediate'); // ALTER TABLE fails while deferred checks are pending
  for (const name of names) await client.query(`alter table ${name} enable trigger user`);
}

/** The JSON of a header or trailer line. */
function jsonAfter<Content>(line: Buffer, mark: string): Content {
  const text = line.toString();
  if (!text.startsWith(mark)) throw new Error('The file is no backup of the platform, or it is damaged.');
  return JSON.parse(text.slice(mark.length)) as Content;
}

const LINE_FEED = 10;

/**
 * The lines of the unzipped file, with their line ends. Omits a last line without a line end, which no complete backup has.
 */
async function* linesOf(file: Readable): AsyncGenerator<Buffer, void> {
  let unfinishedLine: Buffer[] = [];
  for await (const chunk of unzipped(file)) {
    let from = 0;
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, from)) {
      yield Buffer.concat([...unfinishedLine, chunk.subarray(from, end + 1)]);
      unfinishedLine = [];
      from = end + 1;
    }
    if (from < chunk.length) unfinishedLine.push(chunk.subarray(from));
  }
}

function unzipped(file: Readable): AsyncIterable<Buffer> {
  const zip = createGunzip();
  file.once('error', (error) => zip.destroy(error));
  return file.pipe(zip) as AsyncIterable<Buffer>;
}

function isAboutTheFile(error: unknown): error is Error {
  const { code } = error as { code?: string };
  // An error of zlib, a value that PostgreSQL refuses (SQLSTATE class 22), a violated constraint (23), or invalid JSON.
  return /^(Z_|22|23)/.test(code ?? '') || error instanceof SyntaxError;
}
