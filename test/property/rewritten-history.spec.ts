import { verifyCheckpoint, verifyConsistency, verifyInclusion } from '../../client/verify.js';
import { executeWithoutTriggers } from '../fixtures/ledger-corruption.js';
import type { TestAdmin, TestUser } from '../fixtures/given.js';
import { LiabilitySteps } from '../fixtures/liability-steps.js';
import { LogReader } from '../fixtures/log-reader.js';
import { hashOfLeaf } from '../fixtures/rfc9162.js';
import { recordGuarantee } from '../harness/jest/guarantees.js';
import { startPlatform, type TestPlatform } from '../harness/platform.js';

const CHECK = '/api/admin/integrity';
const LEAVES = 300; // more than a tile
const DAY = '2026-03-02';

/** Changes of rows that a leaf names; the balances that other invariants check still add up. */
const REWRITES: readonly [what: string, change: string, undo: string][] = [
  [
    'the type of a transaction',
    `update ledger_transaction set type = 'yield' where id = $id`,
    `update ledger_transaction set type = 'deposit' where id = $id`,
  ],
  [
    'the reference of a transaction',
    `update ledger_transaction set reference_id = reference_id || 'x' where id = $id`,
    `update ledger_transaction set reference_id = rtrim(reference_id, 'x') where id = $id`,
  ],
  [
    'the type of the reference',
    `update ledger_transaction set reference_type = 'other' where id = $id`,
    `update ledger_transaction set reference_type = 'deposit' where id = $id`,
  ],
  [
    'the time of a transaction',
    `update ledger_transaction set effective_at = effective_at - interval '1 millisecond' where id = $id`,
    `update ledger_transaction set effective_at = effective_at + interval '1 millisecond' where id = $id`,
  ],
  [
    'the time of the entries of a transaction',
    `update ledger_entry set effective_at = effective_at - interval '1 day' where transaction_id = $id`,
    `update ledger_entry set effective_at = effective_at + interval '1 day' where transaction_id = $id`,
  ],
  [
    'the time of one entry',
    `update ledger_entry set effective_at = effective_at + interval '1 microsecond' where transaction_id = $id and amount > 0`,
    `update ledger_entry set effective_at = effective_at - interval '1 microsecond' where transaction_id = $id and amount > 0`,
  ],
  [
    'the time of a transaction and its entries, by less than the millisecond that a leaf shows',
    `update ledger_transaction set effective_at = effective_at + interval '999 microseconds' where id = $id;
     update ledger_entry set effective_at = effective_at + interval '999 microseconds' where transaction_id = $id`,
    `update ledger_transaction set effective_at = effective_at - interval '999 microseconds' where id = $id;
     update ledger_entry set effective_at = effective_at - interval '999 microseconds' where transaction_id = $id`,
  ],
  [
    'the name of an account',
    `update ledger_account set scope = scope || 'x' where kind = 'asset.deposit-provider'`,
    `update ledger_account set scope = rtrim(scope, 'x') where kind = 'asset.deposit-provider'`,
  ],
  [
    'an amount, in both entries and the stored balances',
    `update ledger_entry set amount = amount + sign(amount) * 0.000001 where transaction_id = $id`,
    `update ledger_entry set amount = amount - sign(amount) * 0.000001 where transaction_id = $id`,
  ],
  [
    'the accounts of two users',
    `update ledger_entry set transaction_id = case transaction_id when $id then $other::uuid else $id end
      where transaction_id in ($id, $other) and amount > 0`,
    `update ledger_entry set transaction_id = case transaction_id when $id then $other::uuid else $id end
      where transaction_id in ($id, $other) and amount > 0`,
  ],
  [
    'the nonce of a leaf',
    `update proof_leaf set nonce = set_byte(nonce, 0, get_byte(nonce, 0) # 1) where transaction_id = $id`,
    `update proof_leaf set nonce = set_byte(nonce, 0, get_byte(nonce, 0) # 1) where transaction_id = $id`,
  ],
  [
    'the hash of a leaf in its tile',
    `update proof_tile set hashes = set_byte(hashes, 5, get_byte(hashes, 5) # 1) where level = 0 and n = 0`,
    `update proof_tile set hashes = set_byte(hashes, 5, get_byte(hashes, 5) # 1) where level = 0 and n = 0`,
  ],
  [
    'a hash of the upper tile',
    `update proof_tile set hashes = set_byte(hashes, 5, get_byte(hashes, 5) # 1) where level = 1`,
    `update proof_tile set hashes = set_byte(hashes, 5, get_byte(hashes, 5) # 1) where level = 1`,
  ],
  [
    'the note of the newest checkpoint',
    `update proof_checkpoint set note = replace(note, E'\\n\\n', E'\\nx\\n\\n') where size = (select size from proof_log)`,
    `update proof_checkpoint set note = replace(note, E'\\nx\\n\\n', E'\\n\\n') where size = (select size from proof_log)`,
  ],
  [
    'the root of the newest checkpoint',
    `update proof_checkpoint set root = set_byte(root, 5, get_byte(root, 5) # 1) where size = (select size from proof_log)`,
    `update proof_checkpoint set root = set_byte(root, 5, get_byte(root, 5) # 1) where size = (select size from proof_log)`,
  ],
  [
    'the size of the newest checkpoint',
    `update proof_checkpoint set size = size + 1 where size = (select size from proof_log)`,
    `update proof_checkpoint set size = size - 1 where size = (select size + 1 from proof_log)`,
  ],
  [
    'the total of the liabilities of a day',
    `update liability_tree set total = total - 0.000001`,
    `update liability_tree set total = total + 0.000001`,
  ],
  [
    'the root of the liabilities of a day',
    `update liability_tree set root = set_byte(root, 5, get_byte(root, 5) # 1)`,
    `update liability_tree set root = set_byte(root, 5, get_byte(root, 5) # 1)`,
  ],
  [
    'the place of the liabilities of a day in the log',
    `update liability_tree set leaf_index = leaf_index - 1`,
    `update liability_tree set leaf_index = leaf_index + 1`,
  ],
];

describe('A history that is rewritten with triggers disabled', () => {
  let platform: TestPlatform;
  let log: LogReader;
  let ann: TestUser;
  let admin: TestAdmin;
  let kept: string;
  let ids: { id: string; other: string };

  beforeAll(async () => {
    platform = await startPlatform({ settings: { LOG_SEAL_SECONDS: '3600', DEPOSIT_POLL_SECONDS: '3600' } });
    log = new LogReader(platform);
    admin = await platform.given.admin();
    ann = await platform.given.user().withBalance('1000.00');
    for (let done = 1; done < LEAVES; done += 23)
      await Promise.all(Array.from({ length: 23 }, () => platform.given.user().withBalance('10.00')));
    await log.seal();
    const days = new LiabilitySteps(platform);
    await days.endJobs();
    await days.closeUpTo(DAY);
    const [first, second] = await platform.dataSource.query<{ id: string }[]>(
      'select transaction_id as id from proof_leaf order by leaf_index limit 2',
    );
    ids = { id: `'${first!.id}'`, other: `'${second!.id}'` };
    kept = await log.checkpoint();
  });
  afterAll(() => platform.stop());

  const check = async () => (await platform.as(admin).get(CHECK)).data;
  const brokenOf = (data: { laws: { name: string; status: string; breaks: { subject: string }[] }[] }) =>
    data.laws.filter(({ status }) => status === 'broken');
  const execute = (sql: string) =>
    executeWithoutTriggers(platform, sql.replaceAll('$id', ids.id).replaceAll('$other', ids.other));

  it.each(REWRITES)('is found by the integrity check: %s [SEC-172]', async (_, change, undo) => {
    expect(brokenOf(await check())).toEqual([]);
    await execute(change);
    try {
      const data = await check();
      expect(data.status).toBe('broken');
      expect(brokenOf(data).map(({ name }) => name)).toContain('sealed-history');
      expect(data.pause).toMatchObject({ pausedBy: 'system' });
    } finally {
      await execute(undo);
      await platform.as(admin).post(`${CHECK}/resume`, { reason: 'Put right' });
    }
  });

  it('is found if a sealed transaction or its leaf is deleted, or one is inserted behind the log', async () => {
    const rows = (table: string, where: string) =>
      `create table saved_${table} as select * from ${table} where ${where}`;
    const back = (table: string) =>
      `insert into ${table} overriding system value select * from saved_${table}; drop table saved_${table}`;
    const deletions: [string, string, string][] = [
      ['ledger_transaction', 'id = $id', 'leaf 0 of transaction'],
      ['ledger_entry', 'transaction_id = $id', 'leaf 0 of transaction'],
      ['proof_leaf', 'leaf_index = 0', 'leaf 0'],
      ['proof_tile', 'level = 0 and n = 0', 'tile 0 of level 0'],
      ['liability_tree', `day = '${DAY}'`, 'leaf'],
    ];
    for (const [table, where, subject] of deletions) {
      await execute(rows(table, where));
      await execute(`delete from ${table} where ${where}`);
      const found = brokenOf(await check()).find(({ name }) => name === 'sealed-history');
      expect([table, found?.breaks.some((one) => one.subject.startsWith(subject))]).toEqual([table, true]);
      await execute(back(table));
    }
    expect(brokenOf(await check())).toEqual([]);
    recordGuarantee('G-33', `${REWRITES.length + deletions.length} kinds of changes: 0 not found`);
  });

  it('is reported with what differs', async () => {
    const [{ leaf }] = await platform.dataSource.query('select leaf_index as leaf from liability_tree');
    const id = ids.id.replaceAll("'", '');
    const expected: [string, string[]][] = [
      ['the time of one entry', [`time of transaction ${id}`]],
      ['the time of a transaction', [`leaf 0 of transaction ${id}`]],
      ['the total of the liabilities of a day', [`liabilities of ${DAY} in USDC`]],
      [
        'the place of the liabilities of a day in the log',
        [`leaf ${leaf} of liabilities`, `liabilities of ${DAY} in USDC`],
      ],
      ['the root of the newest checkpoint', [`checkpoint of size ${Number(leaf) + 1}`]],
    ];
    for (const [what, subjects] of expected) {
      const [, change, undo] = REWRITES.find(([name]) => name === what) as (typeof REWRITES)[number];
      await execute(change);
      const found = brokenOf(await check()).flatMap(({ breaks }) => breaks.map(({ subject }) => subject));
      await execute(undo);
      expect([what, found]).toEqual([what, subjects]);
    }
    await platform.as(admin).post(`${CHECK}/resume`, { reason: 'Put right' });
  });

  it('is found if the size of the log is changed, however large it is, and the rest of the log is compared', async () => {
    const { size } = await log.readCheckpoint();
    for (const changed of [size + 10 ** 15, size - 1]) {
      await execute(`update proof_log set size = ${changed}`);
      try {
        const found = brokenOf(await check()).find(({ name }) => name === 'sealed-history');
        const subjects = found?.breaks.map(({ subject }) => subject) ?? [];
        expect(subjects).toContain(`size ${changed} of the log`);
        expect(subjects.length).toBeLessThan(5);
      } finally {
        await execute(`update proof_log set size = ${size}`);
      }
    }
    expect(brokenOf(await check())).toEqual([]);
    await platform.as(admin).post(`${CHECK}/resume`, { reason: 'Put right' });
  });

  it('is found by a client that has kept an older checkpoint, even if the log is computed again [SEC-173]', async () => {
    const keys = await log.keys();
    const { size } = await verifyCheckpoint(kept, keys);
    const record = (await platform.as(ann).get('/api/user/transactions')).data[0].id as string;
    const path = `/api/user/transactions/${record}/proof`;
    const [proof] = (await platform.as(ann).get(path)).data.proofs;

    // The attacker doubles the deposit in all tables that other invariants compare, and has the log sealed again.
    const doubled = `transaction_id = $id`;
    await execute(
      `update ledger_entry set amount = amount * 2, balance_after = balance_after * 2 where ${doubled}`,
    );
    await execute(`update ledger_account set balance = balance * 2
      where id in (select account_id from ledger_entry where ${doubled}) and balance is not null`);
    await execute(`update deposit set amount = amount * 2, credited = credited * 2
      where id::text = (select reference_id from ledger_transaction where id = $id)`);
    await execute(`update user_transaction set amount = amount * 2, balance_change = balance_change * 2
      where reference_id = (select reference_id from ledger_transaction where id = $id)`);
    expect(brokenOf(await check()).map(({ name }) => name)).toEqual(['sealed-history']);

    const changed = (await platform.as(ann).get(path)).data.proofs[0];
    expect(hashOfLeaf(changed.leaf)).not.toEqual(hashOfLeaf(proof.leaf));
    await expect(verifyInclusion(changed, keys)).rejects.toThrow('The path does not lead');
    await verifyInclusion(proof, keys); // the one that Ann has kept still holds

    await execute(`truncate proof_leaf, proof_tile, proof_checkpoint cascade`);
    await execute(`update proof_log set size = 0, sealed_entry_id = 0`);
    await execute(`insert into proof_checkpoint (size, root, at, note) values (0, sha256(''), now(), 'x')`);
    await log.seal();
    expect(brokenOf(await check())).toEqual([]); // the log agrees with the ledger again
    for (const amount of ['1.00', '2.00']) await platform.given.user().withBalance(amount); // one replaces the leaf of the day
    await log.seal();
    const consistency = await log.consistency(size, size + 1);
    await expect(verifyConsistency(kept, await log.checkpoint(), consistency, keys)).rejects.toThrow(
      'the history was rewritten',
    );
    recordGuarantee('G-34', `log of ${size} leaves computed and signed again`);
  });
});
