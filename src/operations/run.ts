// `npm run backup -- FILE`, `npm run restore -- FILE` and `npm run migrate`, of the database that DATABASE_URL names.
import { createReadStream, createWriteStream, renameSync, rmSync } from 'node:fs';
import { backup, type Rows } from './backup.js';
import { restore } from './restore.js';

const [verb, file] = process.argv.slice(2);
const { DATABASE_URL } = process.env;

async function main(): Promise<void> {
  if (verb === 'migrate' && DATABASE_URL) {
    const { migrateDatabase } = await import('./migrate.js'); // imported here, because the other commands do not need its packages
    return migrateDatabase(DATABASE_URL, (line) => process.stdout.write(`${line}\n`));
  }
  if (!file || !DATABASE_URL) {
    throw new Error(
      `Usage: DATABASE_URL=postgres://… npm run ${verb}${verb === 'migrate' ? '' : ' -- FILE'}`,
    );
  }
  if (verb === 'restore') return say('restored', await restore(DATABASE_URL, createReadStream(file)));
  // The file gets its name after it is complete and flushed to disk.
  const unfinished = `${file}.part`;
  try {
    const rows = await backup(DATABASE_URL, createWriteStream(unfinished, { mode: 0o600, flush: true }));
    renameSync(unfinished, file);
    say(`written to ${file}`, rows);
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw error;
  }
}

function say(done: string, rows: Rows): void {
  const tables = Object.entries(rows).filter(([, count]) => count > 0);
  for (const [name, count] of tables) process.stdout.write(`${String(count).padStart(12)}  ${name}\n`);
  const total = tables.reduce((sum, [, count]) => sum + count, 0);
  process.stdout.write(`${total} rows of ${tables.length} tables ${done}\n`);
}

main().catch((error: unknown) => {
  process.stderr.write(`${verb} failed: ${(error as Error).message}\n`);
  process.exitCode = 1;
});
