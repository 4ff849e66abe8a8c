import { cpSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { DataSource } from 'typeorm';
import { testFolder } from '../../harness/test-folder.js';

// The service as somebody careless would have written it: it reads, decides and writes, and locks nothing. Whatever
// is to find double spending has to find it here.

/** Each lock of the built service, and what stands there without it. */
const LOCKS: [lock: RegExp, without: string][] = [
  [/, lock: \{ mode: 'pessimistic_write' \}/g, ''],
  [/ for (no key )?update( skip locked)?(?=[`'\s),])/g, ''],
  [/pg_advisory_xact_lock(_shared)?\(hashtextextended/g, 'abs(hashtextextended'],
  [/pg_try_advisory_xact_lock\(hashtextextended/g, '0 <> (hashtextextended'],
  [/, depositProviderKey\(kind, body\)/g, ', depositProviderKey(kind, body) + Math.random()'], // no event is known again
];

/** A copy of `dist` without locks: its program, and how to remove it. */
export function carelessBuild(): { program: string; remove: () => void } {
  const root = testFolder('careless');
  for (const beside of ['node_modules', 'migrations', 'package.json'])
    symlinkSync(resolve(beside), join(root, beside));
  const dist = join(root, 'dist');
  cpSync('dist', dist, { recursive: true });
  const removed = LOCKS.map(() => 0);
  for (const name of readdirSync(dist, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.js')) continue;
    const path = join(dist, name);
    const before = readFileSync(path, 'utf8');
    const after = LOCKS.reduce((text, [lock, without], place) => {
      removed[place] = (removed[place] as number) + (text.match(lock)?.length ?? 0);
      return text.replace(lock, without);
    }, before);
    if (after !== before) writeFileSync(path, after);
  }
  if (removed.includes(0)) throw new Error(`locks are written otherwise now: ${removed.join()}`);
  return { program: join(dist, 'main.js'), remove: () => rmSync(root, { recursive: true, force: true }) };
}

/** Locks and laws that the database keeps itself, and what stands there without them. */
const LAWS: [name: string, law: string, without: string][] = [
  ['ledger_account_named', 'for no key update', ''],
  ['idempotency_claim', 'pg_try_advisory_xact_lock(', '0 <> ('],
  ['ledger_entry_apply', 'set balance = balance + entry.amount', 'set balance = entry.balance_after'],
];

/** Balances may be negative, are read without a lock, and written as they were worked out; deposits may come twice. */
export async function makeCareless(dataSource: DataSource): Promise<void> {
  await dataSource.query('alter table ledger_account drop constraint ledger_account_balance_not_negative');
  await dataSource.query(
    'drop index deposit_identity, deposit_identity_without_log_index, deposit_provider_id',
  );
  for (const [name, law, without] of LAWS) {
    const [{ text }] = await dataSource.query(`select pg_get_functiondef($1::regproc) as text`, [name]);
    if (!text.includes(law)) throw new Error(`${name} keeps the law otherwise now`);
    await dataSource.query(text.replace(law, without));
  }
}
