// The program of `npm run backup -- FILE`, `npm run restore -- FILE`, `npm run migrate` and
// `npm run audit-pack -- --from DAY --to DAY --out FILE`. DATABASE_URL names the database.
import { renameSync, rmSync, type WriteStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { backup, type RowCounts } from './backup.js';
import { restore } from './restore.js';

const [command, file] = process.argv.slice(2);
const { DATABASE_URL, LOG_SIGNING_KEY, TOKEN_HASH_KEY } = process.env;

async function main(): Promise<void> {
  if (command === 'migrate' && DATABASE_URL) {
    const { migrateDatabase } = await import('./migrate.js'); // imported here, because the other commands do not need its packages
    const database = { databaseUrl: DATABASE_URL, tokenHashKey: TOKEN_HASH_KEY?.trim() };
    return migrateDatabase(database, (line) => process.stdout.write(`${line}\n`));
  }
  if (command === 'audit-pack') return writeAuditPackFile();
  if (!file || !DATABASE_URL) {
    throw new Error(
      `Usage: DATABASE_URL=postgres://… npm run ${command}${command === 'migrate' ? '' : ' -- FILE'}`,
    );
  }
  if (command === 'restore') return printRowCounts(await restoreFile(DATABASE_URL, file), 'restored');
  let rows: RowCounts = {};
  await writeFileAtomically(file, async (out) => {
    rows = await backup(DATABASE_URL, out);
  });
  printRowCounts(rows, `written to ${file}`);
}

async function writeAuditPackFile(): Promise<void> {
  const options = { from: { type: 'string' }, to: { type: 'string' }, out: { type: 'string' } } as const;
  const { from, to, out: name } = parseArgs({ args: process.argv.slice(3), options }).values;
  if (!from || !to || !name || !DATABASE_URL || !LOG_SIGNING_KEY)
    throw new Error(
      'Usage: DATABASE_URL=postgres://… LOG_SIGNING_KEY=… npm run audit-pack -- --from 2026-01-01 --to 2026-12-31 --out FILE',
    );
  const { writeAuditPack } = await import('./audit-pack.js'); // imported here, because the other commands do not need its packages
  const request = { databaseUrl: DATABASE_URL, signingKey: LOG_SIGNING_KEY, from, to };
  await writeFileAtomically(name, (out) => writeAuditPack(request, out));
  process.stdout.write(`the audit pack of ${from} to ${to} is written to ${name}\n`);
}

/** Opens the file first: a stream would report a missing file before `restore` listens to its errors, which ends the process. */
async function restoreFile(databaseUrl: string, name: string): Promise<RowCounts> {
  const input = (await open(name)).createReadStream();
  try {
    return await restore(databaseUrl, input);
  } finally {
    input.destroy();
  }
}

/**
 * The file gets its name after it is complete and flushed to disk. It is opened before `write`, because a stream that
 * cannot open its file would report the error before `write` listens to it.
 */
async function writeFileAtomically(name: string, write: (out: WriteStream) => Promise<void>): Promise<void> {
  const unfinished = `${name}.part`;
  const out = (await open(unfinished, 'w', 0o600)).createWriteStream({ flush: true });
  try {
    await write(out);
    renameSync(unfinished, name);
  } catch (error) {
    out.destroy();
    rmSync(unfinished, { force: true });
    throw error;
  }
}

/** Prints the number of rows of each table, and their sum in a sentence that ends with `outcome`. */
function printRowCounts(rows: RowCounts, outcome: string): void {
  const tables = Object.entries(rows).filter(([, count]) => count > 0);
  for (const [name, count] of tables) process.stdout.write(`${String(count).padStart(12)}  ${name}\n`);
  const total = tables.reduce((sum, [, count]) => sum + count, 0);
  process.stdout.write(`${total} rows of ${tables.length} tables ${outcome}\n`);
}

main().catch((error: unknown) => {
  process.stderr.write(`${command} failed: ${(error as Error).message}\n`);
  process.exitCode = 1;
});
