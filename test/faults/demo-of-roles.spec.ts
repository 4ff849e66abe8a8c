import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { migrateDatabase } from '../../src/operations/migrate.js';
import { databaseWithRoles } from '../fixtures/data-rights.js';
import { databaseWithOwnSchema } from '../fixtures/own-schema.js';
import type { TestDatabase } from '../harness/database.js';
import { startSandbox } from '../harness/sandbox-process.js';

describe('The demo succeeds if the API of the sandbox connects', () => {
  let database: Pick<TestDatabase, 'drop'> | undefined;
  afterEach(() => database?.drop());

  /** Runs the demo with the API on `serviceUrl`, whose tables exist, in the schema `schema`. */
  async function runDemo(serviceUrl: string, schema: string): Promise<string> {
    const sandbox = await startSandbox({ DATABASE_URL: serviceUrl });
    // The demo itself copies the database, for which it needs the right to create one.
    const superuser = new URL(process.env.TEST_POSTGRES as string);
    superuser.pathname = new URL(serviceUrl).pathname;
    superuser.searchParams.set('options', `-c search_path=${schema},public`); // the copy is in `public`
    try {
      const env = { ...sandbox.env, DATABASE_URL: superuser.href };
      return (await promisify(execFile)(process.execPath, ['dist/sandbox/demo.js'], { env })).stdout;
    } finally {
      expect(await sandbox.stop()).toEqual([0, null]);
    }
  }

  it('with the data rights of docs/operations.md, as a role that owns nothing', async () => {
    const roles = await databaseWithRoles();
    database = roles;
    await migrateDatabase({ databaseUrl: roles.ownerUrl, tokenHashKey: undefined }, () => undefined);
    expect(await runDemo(roles.serviceUrl, 'public')).toContain('All results are as expected.');
  });

  it('as a role with a schema of its own, and with pg_trgm in a third schema', async () => {
    const own = await databaseWithOwnSchema('own');
    database = own;
    expect(await runDemo(own.url, own.schema)).toContain('All results are as expected.');
  });
});
