import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { openDatabase } from '../../src/database/data-source.js';
import { migrationsFromFiles } from '../../src/database/migrations.js';

const TEMPLATE = 'platform_template';

export interface TestDatabase {
  readonly url: string;
  drop(): Promise<void>;
}

function serverUrl(database: string): string {
  const url = new URL(process.env.TEST_POSTGRES as string);
  url.pathname = `/${database}`;
  return url.toString();
}

async function executeOnServer(sql: string): Promise<void> {
  await executeOnDatabase(serverUrl('postgres'), sql);
}

/** Executes a statement on a connection of its own. */
export async function executeOnDatabase(url: string, sql: string): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

/** Creates the migrated template, once per test run. */
export async function createTemplate(): Promise<void> {
  await executeOnServer(`create database ${TEMPLATE}`);
  const migrations = migrationsFromFiles();
  const template = await openDatabase(
    { type: 'postgres', url: serverUrl(TEMPLATE), migrations },
    () => undefined,
  );
  await template.destroy();
}

/** Creates a copy of the migrated template, or of the given database; `template0` is empty. */
export async function freshDatabase(template = TEMPLATE): Promise<TestDatabase> {
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await executeOnServer(`create database ${name} template ${template} strategy file_copy`);
  return {
    url: serverUrl(name),
    drop: () => executeOnServer(`drop database if exists ${name} with (force)`),
  };
}
