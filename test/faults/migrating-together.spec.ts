import { cpSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import pg from 'pg';
import { openDatabase } from '../../src/database/data-source.js';
import { PREPARING } from '../../src/database/prepared.js';
import { migrationsFromFiles } from '../../src/database/migrations.js';
import { SANDBOX_SETTINGS } from '../../src/sandbox/sandbox-settings.js';
import { ApiProcess } from '../harness/api-process.js';
import { freshDatabase, type TestDatabase } from '../harness/database.js';
import { eventually } from '../harness/eventually.js';
import { insertSqlHistory } from '../fixtures/sql-history.js';
import { sendRequest } from '../harness/http-client.js';
import { recordGuarantee } from '../harness/jest/guarantees.js';
import { LOCK_WAITS } from '../harness/lock-waits.js';
import { testFolder } from '../harness/test-folder.js';

// Several processes of a new version start concurrently, on an empty database and on one with users and money.

const REPLICAS = 2;

const UNUSED_URL = 'http://127.0.0.1:9'; // no outside party is called
const SETTINGS = {
  ...SANDBOX_SETTINGS,
  NODE_ENV: 'test',
  LOG_LEVEL: 'info',
  IDP_JWKS_URL: UNUSED_URL,
  IDP_ISSUER: UNUSED_URL,
  DEPOSIT_PROVIDER_URL: UNUSED_URL,
  RPC_URL: UNUSED_URL,
  CHAIN_ID: '31337',
  USDC_CONTRACT_ADDRESS: SANDBOX_SETTINGS.CUSTODY_ADDRESS,
};

let adminsFile: string;
let database: TestDatabase;

beforeAll(() => {
  adminsFile = join(testFolder('migrating'), 'admins.json');
  writeFileSync(adminsFile, '[]');
});
afterEach(() => database.drop());

/**
 * Starts the processes and returns their messages about migrations. Holds the lock of the statement `barrier` until all
 * processes wait for a lock, so that their migrations overlap.
 */
async function startTogether(barrier: string, program?: string): Promise<string[]> {
  const env = { ...SETTINGS, ADMINS_FILE: adminsFile, DATABASE_URL: database.url };
  const client = new pg.Client(database.url);
  await client.connect();
  await client.query(`begin; ${barrier}`);
  const replicas = await Promise.all(Array.from({ length: REPLICAS }, () => ApiProcess.launch(env, program)));
  try {
    await Promise.race([
      eventually(async () => expect(await countLockWaits()).toBe(REPLICAS), 120_000),
      ...replicas.map((replica) => replica.rejectOnExit()),
    ]);
    await client.query('rollback');
    await Promise.all(replicas.map((replica) => replica.waitUntilReady()));
    const health = await Promise.all(replicas.map(({ url }) => sendRequest(`${url}/api/health/ready`)));
    expect(health.map(({ status }) => status)).toEqual(replicas.map(() => 200));
    return replicas.flatMap(({ output }) => output.match(/\d+ migration\(s\) done/g) ?? []);
  } finally {
    await client.end();
    for (const replica of replicas) await replica.kill();
  }
}

async function countLockWaits(): Promise<number> {
  return (await query(LOCK_WAITS)).length;
}

async function query<Row extends pg.QueryResultRow>(sql: string): Promise<Row[]> {
  const client = new pg.Client(database.url);
  await client.connect();
  try {
    return (await client.query<Row>(sql)).rows;
  } finally {
    await client.end();
  }
}

const appliedMigrations = () => query<{ name: string }>('select name from migrations order by id');
const allMigrations = migrationsFromFiles().map((migration) => ({ name: new migration().name as string }));

it('processes that start concurrently migrate an empty database once', async () => {
  database = await freshDatabase('template0');
  expect(await startTogether('create table ledger_entry ()')).toEqual([
    `${allMigrations.length} migration(s) done`,
  ]);
  expect(await appliedMigrations()).toEqual(allMigrations);
});

it('processes of a later version that start concurrently migrate a database with users once and keep all balances', async () => {
  database = await freshDatabase();
  const dataSource = await openDatabase(
    { type: 'postgres', url: database.url, extra: PREPARING },
    () => undefined,
    {
      migrate: false,
    },
  );
  await insertSqlHistory(dataSource);
  await dataSource.destroy();
  const money = `select owner_id, kind, asset, balance::numeric from ledger_account where balance is not null order by id`;
  const before = await query(money);
  expect(before.length).toBeGreaterThan(2);

  const next = buildWithMigration('next-version', 'alter table platform_user add column nickname text');
  expect(await startTogether('lock table platform_user', next.program)).toEqual(['1 migration(s) done']);

  expect(await appliedMigrations()).toEqual([...allMigrations, { name: next.migration }]);
  expect(await query(money)).toEqual(before);
  recordGuarantee(
    'G-15',
    `${REPLICAS} concurrent processes: ${allMigrations.length} migrations on an empty database, 1 on one in use`,
  );
});

/** A copy of the built service whose `migrations` folder has one more file. */
function buildWithMigration(name: string, sql: string): { program: string; migration: string } {
  const root = testFolder(name);
  for (const file of ['node_modules', 'package.json']) symlinkSync(resolve(file), join(root, file));
  for (const folder of ['dist', 'migrations', 'config'])
    cpSync(folder, join(root, folder), { recursive: true });
  const number = String(allMigrations.length + 101);
  writeFileSync(join(root, 'migrations', `${number}-${name}.sql`), sql);
  const migration = name + number.padStart(13, '0'); // as `migrationsFromFiles` names it
  return { program: join(root, 'dist/api/main.js'), migration };
}
