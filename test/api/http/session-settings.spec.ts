import pg from 'pg';
import { DataSource } from 'typeorm';
import { loadConfig } from '../../../src/config/app-config.js';
import { databaseOptions } from '../../../src/database/data-source.js';
import { SessionClient } from '../../../src/database/session-settings.js';
import { migrateDatabase } from '../../../src/operations/migrate.js';
import { serveMoneyPath } from '../../fixtures/money-path.js';
import { BAD_SETTINGS, setBadSettings } from '../../fixtures/session-settings.js';
import { executeOnDatabase, freshDatabase } from '../../harness/database.js';
import { startApiWithSettings } from '../../harness/api-with-settings.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';

describe('A database whose sessions have unexpected settings', () => {
  let platform: TestPlatform;
  let names: string[];
  const databaseUrl = () => platform.env.DATABASE_URL as string;

  beforeAll(async () => {
    platform = await startPlatform({ at: new Date().toISOString() });
    names = await setBadSettings(databaseUrl());
  });
  afterAll(() => platform?.stop());

  /** The values of the bad settings in a session. */
  async function settingsOf(query: (sql: string) => Promise<{ name: string; setting: string }[]>) {
    const rows = await query('select name, setting from pg_catalog.pg_settings');
    return Object.fromEntries(
      rows.filter(({ name }) => names.includes(name)).map(({ name, setting }) => [name, setting]),
    );
  }

  it('gives other programs these settings', async () => {
    const client = new pg.Client(databaseUrl());
    await client.connect();
    const settings = await settingsOf(async (sql) => (await client.query(sql)).rows);
    await client.end();
    expect(settings).toMatchObject({
      DateStyle: 'German, DMY',
      search_path: 'pg_catalog',
      extra_float_digits: '-15',
    });
  });

  it('gives each connection of the service those that it needs', async () => {
    const dataSource = await new DataSource(databaseOptions(loadConfig(platform.env))).initialize();
    const pooled = await settingsOf((sql) => dataSource.query(sql));
    await dataSource.destroy();
    const separate = new SessionClient(databaseUrl());
    await separate.connect();
    const single = await settingsOf(async (sql) => (await separate.query(sql)).rows);
    await separate.end();
    // The pool sets the time-outs of statements and locks by settings of the service; separate connections keep those of the database.
    const { statement_timeout: _statement, lock_timeout: _lock, ...unwanted } = BAD_SETTINGS;
    for (const name of names.filter((name) => name in unwanted)) {
      const bad = unwanted[name as keyof typeof unwanted];
      expect([name, pooled[name]]).not.toEqual([name, bad]);
      expect([name, single[name]]).toEqual([name, pooled[name]]);
    }
    expect(pooled).toMatchObject({
      DateStyle: 'ISO, MDY',
      TimeZone: 'UTC',
      search_path: 'public',
      synchronous_commit: 'on',
      statement_timeout: platform.env.DATABASE_STATEMENT_MS,
      idle_session_timeout: '0',
    });
  });

  it('serves a sign-in, a deposit, an investment, its closing, a withdrawal, its payment and a statement', async () => {
    const api = await startApiWithSettings(platform, {});
    await serveMoneyPath(platform, { url: api.url, pauseMs: 500 }); // longer than idle_session_timeout and transaction_timeout
    await api.stop();
  });
});

describe('A database with pg_trgm in a schema of its own', () => {
  it('is migrated into public although the role has a schema, and its searches find the extension', async () => {
    const database = await freshDatabase('template0');
    // The default search_path looks first for a schema with the name of the role, here the empty one.
    await executeOnDatabase(
      database.url,
      'create schema extensions; create extension pg_trgm schema extensions; create schema postgres',
    );

    const lines: string[] = [];
    await migrateDatabase({ databaseUrl: database.url, tokenHashKey: undefined }, (line) => lines.push(line));
    expect(lines.join()).toMatch(/migration\(s\) done/);
    const client = new SessionClient(database.url);
    await client.connect();
    const { rows } = await client.query(
      `select to_regclass('public.ledger_account') is not null as migrated, 'anna' % 'ana' as similar`,
    );
    await client.end();
    await database.drop();
    expect(rows).toEqual([{ migrated: true, similar: expect.any(Boolean) }]);
  });
});
