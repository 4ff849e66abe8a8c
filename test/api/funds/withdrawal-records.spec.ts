import { readFileSync } from 'node:fs';
import { HOUR_MS } from '../../../src/common/durations.js';
import type { TestAdmin } from '../../fixtures/given.js';
import { sendRequest } from '../../harness/http-client.js';
import { NUMBERED_FOLDER } from '../../fixtures/numbered-migrations.js';
import { queryWithoutTriggers } from '../../fixtures/ledger-corruption.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import { treasurySteps, type TreasurySteps } from '../../fixtures/treasury.js';
import { ADMIN_WITHDRAWALS, USER_WITHDRAWALS, type WithdrawalSteps } from '../../fixtures/withdrawals.js';

const RECORDS = [
  'takenBy',
  'takenAt',
  'executedAt',
  'completedBy',
  'completedAt',
  'approvedBy',
  'approvedAt',
] as const;
type Records = Partial<Record<(typeof RECORDS)[number], string>>;

describe('The records of a withdrawal', () => {
  let platform: TestPlatform;
  let treasury: TreasurySteps;
  let steps: WithdrawalSteps;
  let admin2: TestAdmin;

  beforeAll(async () => {
    platform = await startPlatform();
    treasury = await treasurySteps(platform);
    steps = treasury.withdrawals;
    admin2 = await platform.given.admin('admin2');
  });
  afterAll(() => platform?.stop());

  /** The time of the domain clock after an hour. */
  const anHourLater = () => {
    platform.clock.advance(HOUR_MS);
    return platform.clock.now().toISOString();
  };

  /** Expects the same records in the list, its basic view, the detail and the CSV; absent ones are null, in the CSV empty. */
  const expectRecords = async (id: string, userId: string, records: Records) => {
    const all = Object.fromEntries(RECORDS.map((name) => [name, records[name] ?? null]));
    const list = `${ADMIN_WITHDRAWALS}?userId=${userId}`;
    const admin = platform.as(steps.admin);
    expect((await admin.get(list)).data).toMatchObject([{ id, ...all }]);
    expect((await admin.get(`${list}&view=basic`)).data.withdrawals).toMatchObject([{ id, ...all }]);
    expect(await steps.detail(id)).toMatchObject(all);
    const { text } = await sendRequest(`${platform.baseUrl}${list}&format=csv`, {
      headers: { authorization: `Bearer ${steps.admin.token}` },
    });
    const [head = '', row = ''] = text.split('\r\n');
    const columns = head.split(',');
    const cells = row.split(',');
    for (const name of RECORDS)
      expect([name, cells[columns.indexOf(name)]]).toEqual([name, records[name] ?? '']);
  };

  it('name who took and completed a withdrawal that was taken without an approval, everywhere the same', async () => {
    const { id, ann } = await steps.createPending();
    await expectRecords(id, ann.id, {});
    const takenAt = anHourLater();
    const taken = { takenBy: steps.admin.email, takenAt, executedAt: takenAt };
    expect((await steps.take(id)).data).toMatchObject({ ...taken, completedBy: null, approvedBy: null });
    await expectRecords(id, ann.id, taken);
    const completedAt = anHourLater();
    const done = { ...taken, completedBy: admin2.email, completedAt };
    expect((await steps.complete(id, undefined, {}, admin2)).data).toMatchObject(done);
    await expectRecords(id, ann.id, done);
  });

  it('name who approved and who executed a withdrawal', async () => {
    const { id, ann } = await steps.createPending();
    const approvedAt = anHourLater();
    await steps.approve(id);
    const takenAt = anHourLater();
    await steps.execute(id, admin2);
    await expectRecords(id, ann.id, {
      approvedBy: steps.admin.email,
      approvedAt,
      takenBy: admin2.email,
      takenAt,
      executedAt: takenAt,
    });
  });

  it('tell the user why a withdrawal failed, and that its amount is returned only by the reversal', async () => {
    const { withdrawalId: id, ann } = await treasury.failedWithdrawal();
    const asUser = platform.as(ann);
    const expectShown = async (shown: object) => {
      expect((await asUser.get(`${USER_WITHDRAWALS}/${id}`)).data).toMatchObject(shown);
      expect((await asUser.get(USER_WITHDRAWALS)).data.requests).toMatchObject([{ id, ...shown }]);
    };
    const failed = { status: 'failed', failureReason: 'Liquidity' };
    await expectShown({ ...failed, returned: false, returnedAt: null });
    const returnedAt = anHourLater();
    await treasury.confirm(await treasury.createApproved({ type: 'reversal', withdrawalId: id }));
    await expectShown({ ...failed, returned: true, returnedAt });
  });

  it('tell the user when a rejected or cancelled withdrawal was returned, and no reason of a failure', async () => {
    const { id, ann } = await steps.createPending();
    const { id: rejected } = (await steps.request(ann, '20.00')).data;
    const shown = async (of: string) => (await platform.as(ann).get(`${USER_WITHDRAWALS}/${of}`)).data;
    expect(await shown(id)).toMatchObject({ returned: false, returnedAt: null, failureReason: null });
    const cancelledAt = anHourLater();
    await steps.cancel(id, ann);
    const rejectedAt = anHourLater();
    await steps.reject(rejected, 'A sanctioned address');
    const returned = { status: 'rejected', returned: true, failureReason: null };
    expect(await shown(id)).toMatchObject({ ...returned, returnedAt: cancelledAt });
    expect(await shown(rejected)).toMatchObject({ ...returned, returnedAt: rejectedAt });
  });

  it('are filled by the migration for withdrawals of earlier versions', async () => {
    const recorded = () =>
      platform.dataSource.query(
        'select id, taken_by, executed_at, completed_by, returned_at from withdrawal order by id',
      );
    const before = await recorded();
    const migration = readFileSync(`${NUMBERED_FOLDER}063-records.sql`, 'utf8');
    await queryWithoutTriggers(
      platform,
      'update withdrawal set taken_by = null, executed_at = null, completed_by = null, returned_at = null',
    );
    expect(await recorded()).not.toEqual(before);
    const [updateOfMigration = ''] = /update withdrawal[^;]+/.exec(migration) ?? [];
    await platform.dataSource.query(updateOfMigration);
    expect(await recorded()).toEqual(before);
  });
});
