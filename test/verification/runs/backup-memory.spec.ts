import { spawn } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { freshDatabase, type TestDatabase } from '../../harness/database.js';
import { recordGuarantee } from '../../harness/jest/guarantees.js';
import { testFolder } from '../../harness/test-folder.js';

// Measures the memory of backup and restore for a database several times larger than the permitted growth.

const ROWS = Number(process.env.BACKUP_ROWS ?? 300_000); // of 1 KB each
const ROWS_PER_INSERT = 100_000;
const MAX_GROWTH_MB = 64;
const COMMAND = 'dist/operations/run.js';

const databases: TestDatabase[] = [];

async function queryDatabase<Row extends pg.QueryResultRow>(url: string, sql: string): Promise<Row[]> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return (await client.query<Row>(sql)).rows;
  } finally {
    await client.end();
  }
}

async function createDatabase(): Promise<TestDatabase> {
  const database = await freshDatabase();
  databases.push(database);
  return database;
}

/** The options of node that load this code as a module. */
const importCode = (code: string) => ['--import', `data:text/javascript,${encodeURIComponent(code)}`];
const PRINT_PEAK = importCode(
  `process.on('exit', () => process.stdout.write('peak ' + process.resourceUsage().maxRSS));`,
);

/** Peak memory of a program, in MB. */
async function peakMemoryMb(args: string[], DATABASE_URL = ''): Promise<number> {
  const child = spawn(process.execPath, [...PRINT_PEAK, ...args], { env: { ...process.env, DATABASE_URL } });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const code = await new Promise((resolve) => child.once('close', resolve));
  if (code !== 0) throw new Error(output);
  return Number(/peak (\d+)/.exec(output)?.[1]) / 1024;
}

afterAll(async () => {
  for (const database of databases) await database.drop();
});

it(`backup and restore need less than ${MAX_GROWTH_MB} MB more for a large database than for an empty one`, async () => {
  const folder = testFolder('backup-memory');
  const source = await createDatabase();
  const peaks = async (file: string, target: TestDatabase) => ({
    backup: await peakMemoryMb([COMMAND, 'backup', join(folder, file)], source.url),
    restore: await peakMemoryMb([COMMAND, 'restore', join(folder, file)], target.url),
  });
  const small = await peaks('small.gz', await createDatabase());

  await queryDatabase(
    source.url,
    `insert into platform_user (id, email, created_at, updated_at)
     values ('00000000-0000-7000-8000-000000000001', 'ann@example.org', now(), now())`,
  );
  for (let rows = 0; rows < ROWS; rows += ROWS_PER_INSERT)
    await queryDatabase(
      source.url,
      `insert into notification (id, user_id, type, title, message, priority, category, metadata, created_at)
       select gen_random_uuid(), id, 'system', 'Title', repeat(md5(n::text), 32), 'normal', 'platform', '{}', now()
         from platform_user, generate_series(1, ${Math.min(ROWS_PER_INSERT, ROWS - rows)}) as n`,
    );
  const target = await createDatabase();
  const large = await peaks('large.gz', target);

  const [row] = await queryDatabase<{ count: string }>(target.url, 'select count(*) from notification');
  expect(row?.count).toBe(String(ROWS));
  expect(large.backup - small.backup).toBeLessThan(MAX_GROWTH_MB);
  expect(large.restore - small.restore).toBeLessThan(MAX_GROWTH_MB);
  const fileMb = Math.round(statSync(join(folder, 'large.gz')).size / 2 ** 20);
  const figures = [large.backup, large.restore, small.backup, small.restore].map(Math.round);
  recordGuarantee(
    'G-14',
    `${Math.round(ROWS / 1024)} MB of text in a file of ${fileMb} MB: at most ${figures[0]} and ${figures[1]} MB of memory, ` +
      `for an empty database ${figures[2]} and ${figures[3]} MB`,
  );
});

it('the measurement detects a program that holds its whole data in memory', async () => {
  const holdAllData = importCode(
    `globalThis.all = Array.from({ length: ${MAX_GROWTH_MB * 4} }, (_, n) => Buffer.alloc(2 ** 20, n + 1));`,
  );
  const frugal = await peakMemoryMb(['-e', '0']);
  const greedy = await peakMemoryMb([...holdAllData, '-e', '0']);
  expect(greedy - frugal).toBeGreaterThan(MAX_GROWTH_MB * 3);
});
