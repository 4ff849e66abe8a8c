import { verifyCheckpoint, verifyConsistency, verifyInclusion } from '../../client/verify.js';
import { newId } from '../../src/common/ids.js';
import type { IntegrityResponse } from '../../src/modules/assurance/integrity/dto/integrity.response.js';
import { executeWithoutTriggers } from '../fixtures/ledger-corruption.js';
import type { TestAdmin, TestUser } from '../fixtures/given.js';
import {
  DAY,
  HISTORY_CHANGES,
  insertedTransaction,
  LOG_SIZE,
  USER_BATCHES,
  USERS_PER_BATCH,
  type HistoryChange,
} from '../fixtures/history-changes.js';
import { LiabilitySteps } from '../fixtures/liability-steps.js';
import { LogReader } from '../fixtures/log-reader.js';
import { hashOfLeaf } from '../fixtures/rfc9162.js';
import { recordGuarantee } from '../harness/jest/guarantees.js';
import { startPlatform, type TestPlatform } from '../harness/platform.js';

const CHECK = '/api/admin/integrity';
const INVARIANT = 'sealed-history';

describe('A history that is rewritten with triggers disabled', () => {
  let platform: TestPlatform;
  let log: LogReader;
  let ann: TestUser;
  let admin: TestAdmin;
  let keptCheckpoint: string;
  /** The ids of the transactions of the first two leaves. */
  let id: string;
  let other: string;
  /** Kinds of changes that the tests made, those that the check found, and those that violate no other invariant. */
  const kinds = { made: new Set<string>(), found: new Set<string>(), onlyInLog: new Set<string>() };

  beforeAll(async () => {
    platform = await startPlatform({
      settings: { FOUR_EYES: 'off', LOG_SEAL_SECONDS: '3600', DEPOSIT_POLL_SECONDS: '3600' },
    });
    log = new LogReader(platform);
    admin = await platform.given.admin();
    ann = await platform.given.user().withBalance('1000.00');
    for (let batch = 0; batch < USER_BATCHES; batch++)
      await Promise.all(
        Array.from({ length: USERS_PER_BATCH }, () => platform.given.user().withBalance('10.00')),
      );
    await log.seal();
    const days = new LiabilitySteps(platform);
    await days.endJobs();
    await days.closeDaysUpTo(DAY);
    const leaves = await platform.dataSource.query<{ id: string }[]>(
      'select transaction_id as id from proof_leaf order by leaf_index limit 2',
    );
    [id, other] = leaves.map((leaf) => leaf.id) as [string, string];
    keptCheckpoint = await log.checkpoint();
    expect(await log.readCheckpoint()).toMatchObject({ size: LOG_SIZE });
  });
  afterAll(async () => {
    const { made, found, onlyInLog } = kinds;
    const notFound = made.size - found.size;
    if (made.size > 0)
      recordGuarantee(
        'G-33',
        `${made.size} kinds of changes, of which ${onlyInLog.size} violate no other invariant: ${notFound} not found`,
      );
    await platform.stop();
  });

  const check = async (): Promise<IntegrityResponse> => (await platform.as(admin).get(CHECK)).data;
  const violatedBy = ({ laws }: IntegrityResponse) => laws.filter(({ status }) => status === 'broken');
  const violatedNames = async () => violatedBy(await check()).map(({ name }) => name);
  const execute = (sql: string) =>
    executeWithoutTriggers(platform, sql.replaceAll('$id', `'${id}'`).replaceAll('$other', `'${other}'`));

  /** Changes the database, runs `body`, reverts the change, and ends the pause of withdrawals that a check has caused. */
  async function withChange(change: string, undo: string, body: () => Promise<void>): Promise<void> {
    await execute(change);
    try {
      await body();
    } finally {
      await execute(undo);
      await platform.as(admin).post(`${CHECK}/resume`, { reason: 'Put right' });
    }
    expect(await violatedNames()).toEqual([]);
  }

  /** Expects that the check finds the change and reports its subjects. */
  async function expectFound({ what, subjects, hasMoreSubjects }: HistoryChange): Promise<void> {
    kinds.made.add(what);
    const result = await check();
    expect(result).toMatchObject({ status: 'broken', pause: { pausedBy: 'system' } });
    const violated = violatedBy(result);
    const reported =
      violated.find(({ name }) => name === INVARIANT)?.breaks.map(({ subject }) => subject) ?? [];
    const expected = subjects.map((subject) => subject.replace('$id', id).replace('$other', other));
    expect(hasMoreSubjects ? reported.slice(0, expected.length) : reported).toEqual(expected);
    kinds.found.add(what);
    if (violated.length === 1) kinds.onlyInLog.add(what);
  }

  it.each(HISTORY_CHANGES)('is found by the integrity check: $what [SEC-172]', async (change) => {
    await withChange(change.change, change.undo, () => expectFound(change));
  });

  it('is found by the integrity check: an inserted transaction that sealing does not read', async () => {
    const inserted = insertedTransaction(newId());
    await withChange(inserted.change, inserted.undo, async () => {
      await platform.runJob('log-sealing');
      await expectFound(inserted);
    });
  });

  it('is found by a client that has kept an older checkpoint, even if the log is computed again [SEC-173]', async () => {
    const keys = await log.keys();
    const { size } = await verifyCheckpoint(keptCheckpoint, keys);
    const transactionId = (await platform.as(ann).get('/api/user/transactions')).data[0].id as string;
    const path = `/api/user/transactions/${transactionId}/proof`;
    const [proof] = (await platform.as(ann).get(path)).data.proofs;

    // The attacker doubles a deposit in all tables that other invariants compare.
    const ofTransaction = 'transaction_id = $id';
    await execute(
      `update ledger_entry set amount = amount * 2, balance_after = balance_after * 2 where ${ofTransaction}`,
    );
    await execute(`update ledger_account set balance = balance * 2
      where id in (select account_id from ledger_entry where ${ofTransaction}) and balance is not null`);
    await execute(`update deposit set amount = amount * 2, credited = credited * 2
      where id::text = (select reference_id from ledger_transaction where id = $id)`);
    await execute(`update user_transaction set amount = amount * 2, balance_change = balance_change * 2
      where reference_id = (select reference_id from ledger_transaction where id = $id)`);
    expect(await violatedNames()).toEqual(['published-liabilities', INVARIANT]);

    const changed = (await platform.as(ann).get(path)).data.proofs[0];
    expect(hashOfLeaf(changed.leaf)).not.toEqual(hashOfLeaf(proof.leaf));
    await expect(verifyInclusion(changed, keys)).rejects.toThrow('The path does not lead');
    await verifyInclusion(proof, keys); // the proof from before the change stays valid

    // The attacker deletes the log and has the service compute and sign a new one of the changed ledger.
    await execute(`truncate proof_leaf, proof_tile, proof_checkpoint, liability_day cascade`);
    await execute(`update proof_log set size = 0, sealed_entry_id = 0`);
    await execute(`insert into proof_checkpoint (size, root, at, note) values (0, sha256(''), now(), 'x')`);
    await log.seal();
    expect(await violatedNames()).toEqual([]); // the check alone does not detect the new log

    // The new log has no leaf of the liabilities. With two more deposits it is one leaf longer than the kept checkpoint.
    for (const amount of ['1.00', '2.00']) await platform.given.user().withBalance(amount);
    await log.seal();
    const consistency = await log.consistency(size, size + 1);
    await expect(
      verifyConsistency(keptCheckpoint, await log.checkpoint(), consistency, keys),
    ).rejects.toThrow('the history was rewritten');
    recordGuarantee('G-34', `log of ${size} leaves computed and signed again`);
  });
});
