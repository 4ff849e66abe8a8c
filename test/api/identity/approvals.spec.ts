import { HOUR_MS } from '../../../src/common/durations.js';
import { AdminDirectoryService } from '../../../src/modules/identity/admins/admin-directory.service.js';
import { ADMIN_USERS } from '../../fixtures/admin-users.js';
import { APPROVALS, approvalSteps, type ApprovalSteps } from '../../fixtures/approvals.js';
import type { TestAdmin } from '../../fixtures/given.js';
import { disableAdmin, listAdmin } from '../../fixtures/listed-admins.js';
import { treasurySteps, type TreasurySteps } from '../../fixtures/treasury.js';
import { UNKNOWN_ID } from '../../fixtures/withdrawals.js';
import { eventually } from '../../harness/eventually.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';

const HOURS_72 = 72 * HOUR_MS;

describe('Approvals', () => {
  let platform: TestPlatform;
  let approvals: ApprovalSteps;
  let treasury: TreasurySteps;
  let admin: TestAdmin;

  beforeAll(async () => {
    platform = await startPlatform({ settings: { WITHDRAWAL_FOUR_EYES_ABOVE: '1000.00' } });
    approvals = await approvalSteps(platform);
    treasury = await treasurySteps(platform);
    admin = await platform.given.admin();
  });
  afterAll(() => platform?.stop());

  const changeEmail = (id: string, email: string, by = admin, reason = 'Asked by letter.') =>
    platform.as(by).put(`${ADMIN_USERS}/${id}`, { email, reason });
  let addresses = 0;
  const newAddress = () => `renamed-${++addresses}@example.org`;
  const emailOf = async (id: string) =>
    (await platform.as(admin).get(`${ADMIN_USERS}/${id}?view=basic`)).data.user.email;
  const auditOf = (subjectId: string) =>
    platform.dataSource.query(
      `select actor, action, after->>'status' as status from audit_entry where subject_id = $1 order by id`,
      [subjectId],
    );

  it('make a change when a second admin approves it, once, and record both admins in the audit log [SEC-203]', async () => {
    const ann = await platform.given.user();
    const email = newAddress();
    const requested = await changeEmail(ann.id, email);
    expect(requested).toMatchObject({
      status: 202,
      data: {
        kind: 'user.email-change',
        subject: { type: 'user', id: ann.id, label: ann.email },
        change: { before: { email: ann.email }, after: { email } },
        reason: 'Asked by letter.',
        status: 'pending',
        failure: null,
        requestedBy: admin.email,
        requestedAt: platform.clock.now().toISOString(),
        expiresAt: new Date(platform.clock.now().getTime() + HOURS_72).toISOString(),
        decidedBy: null,
        decidedAt: null,
        note: null,
      },
    });
    expect(await emailOf(ann.id)).toBe(ann.email);
    const decided = await approvals.approve(requested.data.id, approvals.second, 'Called her.');
    expect(decided).toMatchObject({
      status: 200,
      data: { status: 'approved', decidedBy: approvals.second.email, note: 'Called her.' },
    });
    expect(await emailOf(ann.id)).toBe(email);
    expect(await auditOf(ann.id)).toEqual([
      { actor: admin.email, action: 'approval.request', status: 'pending' },
      { actor: admin.email, action: 'user.change', status: null },
      { actor: approvals.second.email, action: 'approval.approve', status: 'approved' },
    ]);
    expect((await approvals.approve(requested.data.id)).code).toBe('INVALID_STATE'); // once
  });

  it('are decided neither by their requester nor by an admin without the permission of their kind', async () => {
    const ann = await platform.given.user();
    const { id } = (await changeEmail(ann.id, newAddress())).data;
    for (const step of [approvals.approve(id, admin), approvals.reject(id, 'No', admin)])
      expect(await step).toMatchObject({ status: 403, code: 'FOUR_EYES_REQUIRED' });
    for (const name of ['operator', 'support', 'readonly']) {
      const other = await platform.given.admin(name);
      for (const step of [
        approvals.get(id, other),
        approvals.approve(id, other),
        approvals.reject(id, 'No', other),
      ])
        expect(await step).toMatchObject({ status: 403, code: 'PERMISSION_DENIED' });
      expect(await approvals.withdraw(id, other)).toMatchObject({ status: 403, code: 'FORBIDDEN' });
    }
    expect(await emailOf(ann.id)).toBe(ann.email);
  });

  it('are rejected with a reason, and withdrawn by their requester alone', async () => {
    const ann = await platform.given.user();
    const first = (await changeEmail(ann.id, newAddress())).data.id;
    expect((await platform.as(approvals.second).post(`${APPROVALS}/${first}/reject`, {})).code).toBe(
      'REASON_REQUIRED',
    );
    expect((await approvals.reject(first, 'No letter came.')).data).toMatchObject({
      status: 'rejected',
      decidedBy: approvals.second.email,
      note: 'No letter came.',
    });
    const second = (await changeEmail(ann.id, newAddress())).data.id;
    expect((await approvals.withdraw(second, approvals.second)).code).toBe('FORBIDDEN');
    expect((await approvals.withdraw(second, admin)).data).toMatchObject({
      status: 'withdrawn',
      decidedBy: admin.email,
    });
    for (const id of [first, second]) {
      for (const step of [approvals.approve(id), approvals.reject(id), approvals.withdraw(id, admin)])
        expect((await step).code).toBe('INVALID_STATE');
    }
    expect(await emailOf(ann.id)).toBe(ann.email);
  });

  it('return the pending approval for the same request, and refuse another request for the same change', async () => {
    const ann = await platform.given.user();
    const email = newAddress();
    const first = await changeEmail(ann.id, email);
    const again = await changeEmail(ann.id, email);
    expect(again).toMatchObject({ status: 202, data: { id: first.data.id } });
    for (const [address, by] of [
      [newAddress(), admin],
      [email, approvals.second],
    ] as const)
      expect(await changeEmail(ann.id, address, by)).toMatchObject({
        status: 422,
        code: 'INVALID_STATE',
        body: { error: { details: { approvalId: first.data.id } } },
      });
  });

  it('expire after 72 hours of domain time, before the job has run, too', async () => {
    const ann = await platform.given.user();
    const email = newAddress();
    const { id } = (await changeEmail(ann.id, email)).data;
    platform.clock.advance(HOURS_72 - 1);
    expect((await approvals.get(id)).data.status).toBe('pending');
    platform.clock.advance(1);
    expect(await approvals.approve(id)).toMatchObject({
      code: 'INVALID_STATE',
      body: { error: { details: { status: 'expired' } } },
    });
    const next = (await changeEmail(ann.id, email)).data.id; // this request also marks the overdue one as expired
    expect((await approvals.get(id)).data).toMatchObject({ status: 'expired', decidedBy: null });
    platform.clock.advance(HOURS_72);
    await platform.runJob('approval-expiry');
    expect((await approvals.get(next)).data.status).toBe('expired');
    expect(await emailOf(ann.id)).toBe(ann.email);
  });

  it('fail with the code of the refusal if the record has changed in between, and change nothing', async () => {
    const ann = await platform.given.user();
    const ben = await platform.given.user();
    const email = newAddress();
    const taken = (await changeEmail(ann.id, email)).data.id;
    await platform.given.user(email); // somebody signs in with the address meanwhile
    expect((await approvals.approve(taken)).data).toMatchObject({
      status: 'failed',
      failure: { code: 'VALIDATION_ERROR' },
    });
    const stale = (await changeEmail(ben.id, newAddress())).data.id;
    await platform.dataSource.query('update platform_user set email = $2 where id = $1', [
      ben.id,
      newAddress(),
    ]);
    expect((await approvals.approve(stale)).data).toMatchObject({
      status: 'failed',
      failure: { code: 'INVALID_STATE', message: 'The e-mail address has changed since the request.' },
      decidedBy: approvals.second.email,
    });
    expect(await emailOf(ann.id)).toBe(ann.email);
  });

  it('fail if their requester has lost the right to request the change', async () => {
    await listAdmin(platform, 'leaver@example.com');
    const leaver = await platform.given.admin('leaver');
    const ann = await platform.given.user();
    const { id } = (await changeEmail(ann.id, newAddress(), leaver)).data;
    disableAdmin(platform, leaver.email);
    const directory = platform.app.get(AdminDirectoryService); // reads the file again after half a second
    await eventually(async () => expect(directory.findAdminByEmail(leaver.email)?.status).toBe('disabled'));
    expect((await approvals.approve(id)).data).toMatchObject({
      status: 'failed',
      failure: { code: 'PERMISSION_DENIED' },
    });
  });

  it('take effect once if two admins decide at the same time', async () => {
    await listAdmin(platform, 'admin3@example.com');
    const third = await platform.given.admin('admin3');
    for (const otherStep of ['approve', 'reject', 'withdraw'] as const) {
      const ann = await platform.given.user();
      const email = newAddress();
      const { id } = (await changeEmail(ann.id, email)).data;
      const other = {
        approve: () => approvals.approve(id, third),
        reject: () => approvals.reject(id, 'No', third),
        withdraw: () => approvals.withdraw(id, admin),
      }[otherStep];
      const replies = await Promise.all([approvals.approve(id), other()]);
      expect(replies.map(({ status }) => status).sort()).toEqual([200, 422]);
      const winner = replies.find(({ status }) => status === 200);
      expect((await approvals.get(id)).data).toEqual(winner?.data);
      expect(await emailOf(ann.id)).toBe(winner?.data.status === 'approved' ? email : ann.email);
      const actions = (await auditOf(ann.id)).map(({ action }: { action: string }) => action);
      const decisions = ['approval.approve', 'approval.reject', 'approval.withdraw'];
      expect(actions.filter((action: string) => decisions.includes(action))).toHaveLength(1);
    }
  });

  it('are listed with pending ones first: those that the caller may decide or, with mine=true, has requested', async () => {
    const ann = await platform.given.user();
    await approvals.carryOut(changeEmail((await platform.given.user()).id, newAddress()));
    const pending = (await changeEmail(ann.id, newAddress())).data;
    const own = (await changeEmail((await platform.given.user()).id, newAddress(), approvals.second)).data;
    const listed = await approvals.list('limit=100');
    const ids = listed.data.map(({ id }: { id: string }) => id);
    expect(ids).toContain(pending.id);
    expect(ids).not.toContain(own.id);
    const statuses = listed.data.map(({ status }: { status: string }) => status);
    expect(statuses.lastIndexOf('pending')).toBeLessThan(
      statuses.findIndex((status: string) => status !== 'pending'),
    );
    expect(
      (await approvals.list('mine=true&status=pending')).data.map(({ id }: { id: string }) => id),
    ).toEqual([own.id]);
    expect((await approvals.list('status=approved&kind=user.email-change')).data).not.toHaveLength(0);
    expect((await approvals.list('kind=log.continue')).data).toEqual([]);
    expect((await approvals.list('kind=nothing')).code).toBe('VALIDATION_ERROR');
    expect((await approvals.list('', await platform.given.admin('support'))).data).toEqual([]);
    expect((await approvals.get(UNKNOWN_ID)).code).toBe('APPROVAL_NOT_FOUND');
  });

  it('list manual transactions and large withdrawals under their own ids, and decide them as their routes do', async () => {
    const ann = await platform.given.user().withBalance('5000.00');
    const { id: deposit } = (await treasury.create({ type: 'deposit', userId: ann.id, amount: '12.00' }))
      .data;
    const { id: rejected } = (await treasury.create({ type: 'deposit', userId: ann.id, amount: '13.00' }))
      .data;
    const large = await treasury.withdrawals.request(ann, '1000.00');
    const small = await treasury.withdrawals.request(ann, '999.99');
    const pending = (await approvals.list('status=pending&limit=100')).data as { id: string; kind: string }[];
    expect(pending.filter(({ id }) => id === deposit)).toMatchObject([
      { kind: 'transaction', subject: { type: 'transaction' }, requestedBy: admin.email, expiresAt: null },
    ]);
    expect(pending.filter(({ kind }) => kind === 'withdrawal')).toMatchObject([
      {
        id: large.data.id,
        requestedBy: ann.email,
        change: { after: { amount: '1000.00', userId: ann.id, userEmail: ann.email } },
      },
    ]);
    expect((await approvals.get(small.data.id)).code).toBe('APPROVAL_NOT_FOUND');

    expect(await approvals.approve(deposit, admin)).toMatchObject({ code: 'FOUR_EYES_REQUIRED' });
    expect((await approvals.approve(deposit)).data).toMatchObject({
      id: deposit,
      status: 'approved',
      decidedBy: approvals.second.email,
    });
    expect((await treasury.detail(deposit)).byAdmins.approvedBy).toBe(approvals.second.email);
    expect((await approvals.reject(rejected, 'Twice')).data).toMatchObject({
      status: 'rejected',
      note: 'Twice',
    });
    const operator = await platform.given.admin('operator');
    expect((await approvals.approve(large.data.id, operator)).data.status).toBe('approved');
    expect((await treasury.withdrawals.detail(large.data.id)).approvedBy).toBe(operator.email);
    expect((await approvals.approve(large.data.id, operator)).code).toBe('APPROVAL_NOT_FOUND');
  });

  it('cannot be deleted in the database, nor can their content be changed there, nor their status after the decision', async () => {
    const ann = await platform.given.user();
    const { id } = (await changeEmail(ann.id, newAddress())).data;
    const sql = (text: string) => platform.dataSource.query(text, [id]);
    const refused = { code: '23001' }; // restrict_violation, by a trigger
    await expect(
      sql(`update approval set change_after = '{"email":"thief@example.org"}' where id = $1`),
    ).rejects.toMatchObject(refused);
    await expect(
      sql(`update approval set input = '{"email":"thief@example.org"}' where id = $1`),
    ).rejects.toMatchObject(refused);
    await expect(
      sql(`update approval set requested_by = 'other@example.com' where id = $1`),
    ).rejects.toMatchObject(refused);
    await approvals.reject(id);
    await expect(
      sql(`update approval set status = 'pending', decided_by = null where id = $1`),
    ).rejects.toMatchObject(refused);
    await expect(sql(`delete from approval where id = $1`)).rejects.toMatchObject(refused);
  });
});
