import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { freshDatabase, type TestDatabase } from '../harness/database.js';
import { recordGuarantee } from '../harness/jest/guarantees.js';
import { TcpProxy } from '../harness/tcp-proxy.js';
import { testFolder } from '../harness/test-folder.js';

// Runs `npm run backup`, `restore`, `migrate` and `audit-pack` as child processes. The database is so large that a test can
// cut the connection or kill the process while it is being copied.

const ROWS = 20_000; // each with 1 KB of random digits, so that the compressed file is large, too
const PART_BYTES = 5_000_000; // a quarter of the rows
let folder: string;
let source: TestDatabase;
let targets: TestDatabase[] = [];

interface Run {
  readonly child: ChildProcess;
  /** Resolves when the process has ended. */
  readonly end: Promise<{ code: number | null; output: string }>;
}

function run(verb: 'backup' | 'restore' | 'migrate', file: string | null, DATABASE_URL: string): Run {
  return runProgram([verb, ...(file === null ? [] : [file])], { DATABASE_URL });
}

function runProgram(args: string[], settings: Record<string, string>): Run {
  const env = { ...process.env, ...settings };
  const child = spawn(process.execPath, ['dist/operations/run.js', ...args], { env });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const end = new Promise<{ code: number | null; output: string }>((resolve) =>
    child.once('close', (code) => resolve({ code, output })),
  );
  return { child, end };
}

async function queryDatabase<Row extends pg.QueryResultRow>(url: string, sql: string): Promise<Row[]> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return (await client.query<Row>(sql)).rows;
  } finally {
    await client.end();
  }
}

async function createTarget(template?: string): Promise<TestDatabase> {
  const database = await freshDatabase(template);
  targets.push(database);
  return database;
}

const notificationsIn = async (url: string) =>
  (await queryDatabase<{ count: string }>(url, 'select count(*) from notification'))[0]?.count;

async function waitUntil(condition: () => boolean | Promise<boolean>, { end }: Run): Promise<void> {
  const ended = end.then(({ output }) => {
    throw new Error(`the process ended too early: ${output}`);
  });
  const poll = async () => {
    while (!(await condition())) await sleep(5);
  };
  await Promise.race([poll(), ended]);
}

/** A proxy that stalls after a part of the data, so that the copy stays unfinished as long as a test needs. */
async function startStallingProxy({ url }: TestDatabase): Promise<TcpProxy> {
  const proxy = await TcpProxy.startFor(url);
  proxy.stallAfterBytes = PART_BYTES;
  return proxy;
}

const hasStartedWriting = (file: string) => () =>
  existsSync(`${file}.part`) && statSync(`${file}.part`).size > 0;

const isRestoring = (url: string) => async () => {
  const rows = await queryDatabase(
    url,
    `select from pg_stat_activity where datname = current_database() and application_name = 'stablecoin-platform restore'
        and state = 'active' and query like 'copy "notification"%'`,
  );
  return rows.length > 0;
};

beforeAll(async () => {
  folder = testFolder('backup-command');
  source = await freshDatabase();
  await queryDatabase(
    source.url,
    `insert into platform_user (id, email, created_at, updated_at)
     values ('00000000-0000-7000-8000-000000000001', 'ann@example.org', now(), now())`,
  );
  await queryDatabase(
    source.url,
    `insert into notification (id, user_id, type, title, message, priority, category, metadata, created_at)
     select gen_random_uuid(), id, 'system', 'Title',
            (select string_agg(md5(n::text || part), '') from generate_series(1, 32) as part),
            'normal', 'platform', '{}', now()
       from platform_user, generate_series(1, ${ROWS}) as n`,
  );
});
afterEach(async () => {
  for (const database of targets) await database.drop();
  targets = [];
  for (const file of readdirSync(folder)) rmSync(join(folder, file));
});
afterAll(() => source.drop());

const fileOf = (name: string) => join(folder, name);

/** `change` follows `alter database NAME`. */
const alterDatabase = (url: string, change: string) =>
  queryDatabase(url, `alter database ${new URL(url).pathname.slice(1)} ${change}`);

it('backup and restore copy all rows despite a statement_timeout of the databases', async () => {
  const file = fileOf('whole.gz');
  const { url } = await createTarget();
  for (const database of [source.url, url]) await alterDatabase(database, 'set statement_timeout = 100'); // ms
  expect(await run('backup', file, source.url).end).toMatchObject({ code: 0 });
  expect(statSync(file).mode & 0o077).toBe(0); // readable by its owner only
  const restored = await run('restore', file, url).end;
  expect(restored).toMatchObject({ code: 0, output: expect.stringContaining(`${ROWS}  notification`) });
  for (const database of [source.url, url]) await alterDatabase(database, 'reset statement_timeout');
  const sum = `select md5(string_agg(line::text, '|' order by id)) as sum from notification as line`;
  expect(await queryDatabase(url, sum)).toEqual(await queryDatabase(source.url, sum));
});

it('backup leaves no file if its connection breaks', async () => {
  const file = fileOf('cut.gz');
  const proxy = await startStallingProxy(source);
  const backup = run('backup', file, proxy.url);
  await waitUntil(hasStartedWriting(file), backup);
  await proxy.close();
  const { code, output } = await backup.end;
  expect(code).toBe(1);
  expect(output).toMatch(/^backup failed: .*(terminated|ECONNRESET).*\n$/);
  expect(readdirSync(folder)).toEqual([]);
});

it('a killed backup does not change an older file of the same name, and its unfinished file is refused by a restore', async () => {
  const file = fileOf('killed.gz');
  expect(await run('backup', file, (await createTarget()).url).end).toMatchObject({ code: 0 });
  const olderBackup = readFileSync(file);
  const proxy = await startStallingProxy(source);
  const backup = run('backup', file, proxy.url);
  await waitUntil(hasStartedWriting(file), backup);
  backup.child.kill('SIGKILL');
  await backup.end;
  await proxy.close();
  expect(readFileSync(file)).toEqual(olderBackup);
  const restoreOfPart = await run('restore', `${file}.part`, (await createTarget()).url).end;
  expect(restoreOfPart).toMatchObject({
    code: 1,
    output: expect.stringMatching(/^restore failed: .*(too soon|damaged)/),
  });
});

it('an interrupted restore leaves an empty database, into which a later restore copies all rows', async () => {
  const file = fileOf('whole.gz');
  expect(await run('backup', file, source.url).end).toMatchObject({ code: 0 });
  const database = await createTarget();
  const { url } = database;

  const proxy = await startStallingProxy(database);
  const disconnected = run('restore', file, proxy.url);
  await waitUntil(isRestoring(url), disconnected);
  await proxy.close();
  const { code, output } = await disconnected.end;
  expect(code).toBe(1);
  expect(output).toMatch(/^restore failed: .*(terminated|ECONNRESET|EPIPE|ended by the other party).*\n$/);

  const secondProxy = await startStallingProxy(database);
  const killed = run('restore', file, secondProxy.url);
  await waitUntil(isRestoring(url), killed);
  killed.child.kill('SIGKILL');
  await killed.end;
  await secondProxy.close();

  expect(await notificationsIn(url)).toBe('0');
  expect(await run('restore', file, url).end).toMatchObject({ code: 0 });
  expect(await notificationsIn(url)).toBe(String(ROWS));
  recordGuarantee('G-13', `${ROWS} rows; connection cut and process killed during backup and restore`);
});

it.each([
  ['backup', ['/no/such/folder/x.gz']],
  ['restore', ['/no/such/folder/x.gz']],
  ['audit-pack', ['--from', '2026-01-01', '--to', '2026-01-31', '--out', '/no/such/folder/x.gz']],
])('%s exits with 1 and prints one line if its file cannot be opened', async (verb, args) => {
  const LOG_SIGNING_KEY = Buffer.alloc(32, 7).toString('base64');
  const { code, output } = await runProgram([verb, ...args], { DATABASE_URL: source.url, LOG_SIGNING_KEY })
    .end;
  expect(output).toMatch(new RegExp(`^${verb} failed: ENOENT: .*'/no/such/folder/x\\.gz(\\.part)?'\n$`));
  expect(code).toBe(1);
});

it.each(['backup', 'restore'] as const)('%s exits with 1 if its file is a folder', async (verb) => {
  const { code, output } = await run(verb, folder, (await createTarget()).url).end;
  expect(output).toMatch(new RegExp(`^${verb} failed: EISDIR: .*\n$`));
  expect(code).toBe(1);
});

it('migrate creates the schema without starting the API, and a restore fills it', async () => {
  const file = fileOf('whole.gz');
  const { url } = await createTarget('template0');
  const migration = await run('migrate', null, url).end;
  expect(migration).toMatchObject({
    code: 0,
    output: expect.stringMatching(/^database: \d+ migration\(s\) done\n$/),
  });
  const names = 'select name from migrations order by id';
  expect(await queryDatabase(url, names)).toEqual(await queryDatabase(source.url, names));
  expect(await run('migrate', null, url).end).toEqual({ code: 0, output: 'database: nothing to migrate\n' });
  expect(await run('backup', file, source.url).end).toMatchObject({ code: 0 });
  expect(await run('restore', file, url).end).toMatchObject({ code: 0 });
  expect(await notificationsIn(url)).toBe(String(ROWS));
});

it('migrate exits with 1 if the database does not exist, and prints its usage without DATABASE_URL', async () => {
  const missing = new URL(source.url);
  missing.pathname = '/no_such_database';
  const { code, output } = await run('migrate', null, missing.toString()).end;
  expect([code, output]).toEqual([1, expect.stringMatching(/^migrate failed: .*no_such_database/)]);
  expect((await run('migrate', null, '').end).output).toMatch(/Usage: DATABASE_URL=.* npm run migrate\n$/);
});
