import { cpSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { DataSource } from 'typeorm';
import { testFolder } from '../../harness/test-folder.js';

// Removes all locks from a copy of the build and from the database, so that reads, decisions and writes interleave. The
// races and the checks of histories must report double spending in this build.

/** The locks in the build, and replacements that lock nothing and keep the code valid. */
const LOCKS: [lock: RegExp, replacement: string][] = [
  [/,\s*lock: \{ mode: '\w+' \}/g, ''],
  [/ for (no key )?update( skip locked)?(?=[`'\s),])/g, ''],
  [/pg_advisory_xact_lock(_shared)?\(hashtextextended/g, 'abs(hashtextextended'],
  // Each callback gets a key of its own, so that duplicates are not recognised.
  [/eventKey: depositProviderKey\(kind, body\)/g, 'eventKey: depositProviderKey(kind, body) + Math.random()'],
];

/** A copy of `dist` without locks. */
export function buildWithoutLocks(): { program: string; remove: () => void } {
  const root = testFolder('lock-free-build');
  for (const name of ['node_modules', 'migrations', 'config', 'package.json'])
    symlinkSync(resolve(name), join(root, name));
  const dist = join(root, 'dist');
  // Without dist/tests: a pattern that matches nothing in the API could match this file, and the check below would not fail.
  cpSync('dist', dist, { recursive: true, filter: (source) => source !== join('dist', 'tests') });
  const matchCounts = LOCKS.map(() => 0);
  for (const name of readdirSync(dist, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.js')) continue;
    const path = join(dist, name);
    const before = readFileSync(path, 'utf8');
    let after = before;
    for (const [index, [lock, replacement]] of LOCKS.entries()) {
      matchCounts[index] = (matchCounts[index] as number) + (after.match(lock)?.length ?? 0);
      after = after.replace(lock, replacement);
    }
    if (after !== before) writeFileSync(path, after);
  }
  if (matchCounts.includes(0))
    throw new Error(`LOCKS does not match the build; matches per pattern: ${matchCounts.join()}`);
  return { program: join(dist, 'main.js'), remove: () => rmSync(root, { recursive: true, force: true }) };
}

/** Locks and checks in database functions, and replacements without an effect that keep the functions valid. */
const DATABASE_GUARDS: [functionName: string, guard: string, replacement: string][] = [
  ['ledger_account_named', 'for no key update', ''],
  ['ledger_post', 'for no key update', ''],
  ['claim_idempotency_key', 'pg_try_advisory_xact_lock(', '0 <> ('],
  ['ledger_entry_apply', 'set balance = balance + entry.amount', 'set balance = entry.balance_after'],
];

/** Permits negative balances, lost updates of balances, and duplicate deposits. */
export async function removeDatabaseLocks(dataSource: DataSource): Promise<void> {
  await dataSource.query('alter table ledger_account drop constraint ledger_account_rules');
  await dataSource.query(
    'drop index deposit_identity, deposit_identity_without_log_index, deposit_provider_id',
  );
  for (const [functionName, guard, replacement] of DATABASE_GUARDS) {
    const [{ definition }] = await dataSource.query(`select pg_get_functiondef($1::regproc) as definition`, [
      functionName,
    ]);
    if (!definition.includes(guard))
      throw new Error(`DATABASE_GUARDS does not match the function ${functionName}`);
    await dataSource.query(definition.replace(guard, replacement));
  }
}
