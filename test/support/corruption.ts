import { randomUUID } from 'node:crypto';
import pg from 'pg';
import type { TestPlatform } from './platform.js';

/** Statements past all guards of the database: as whoever has got hold of its superuser could write. */
export async function corrupt(platform: TestPlatform, ...statements: string[]): Promise<void> {
  const client = new pg.Client(platform.env.DATABASE_URL as string);
  await client.connect();
  try {
    await client.query('set session_replication_role = replica'); // no triggers
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}

/** Entries without a counterpart, each in a transaction of its own unless one is named; and what removes them. */
export async function addEntries(
  platform: TestPlatform,
  entries: { account: string; asset?: string; amount: string; of?: string }[],
): Promise<{ ids: string[]; undo: string[] }> {
  const ids = entries.map(({ of }) => of ?? randomUUID());
  const inserts = entries.map(
    ({ account, asset = 'USDC', amount }, place) =>
      `insert into ledger_entry (transaction_id, account_id, asset, amount, category, effective_at)
       values ('${ids[place]}', ${account}, '${asset}', ${amount}, 'internal', now())`,
  );
  await corrupt(platform, ...inserts);
  const which = ids.map((id) => `'${id}'`).join();
  return { ids, undo: [`delete from ledger_entry where transaction_id in (${which})`] };
}

/** An update, and what takes it back. */
export async function change(
  platform: TestPlatform,
  table: string,
  assignment: string,
  back: string,
  where: string,
): Promise<string[]> {
  await corrupt(platform, `update ${table} set ${assignment} where ${where}`);
  return [`update ${table} set ${back} where ${where}`];
}
