import { HOUR_MS } from '../../../src/common/durations.js';
import { TREASURY_ADDRESS } from '../../../src/sandbox/anvil.js';
import { ADMIN_USERS } from '../../fixtures/admin-users.js';
import { approvalSteps, APPROVALS, type ApprovalSteps } from '../../fixtures/approvals.js';
import type { TestAdmin } from '../../fixtures/given.js';
import { signInWith } from '../../fixtures/identities.js';
import { listAdmin } from '../../fixtures/listed-admins.js';
import { RECONCILIATION_BREAKS, ReconciliationSteps } from '../../fixtures/reconciliations.js';
import { treasurySteps, type TreasurySteps } from '../../fixtures/treasury.js';
import { DESTINATION } from '../../fixtures/withdrawals.js';
import { WRONG_SEAL } from '../../fixtures/sealed-rows.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';

const REGISTER = '/api/admin/auth/register';
const FIRST = 'a-first-password';
const OWN = 'a-password-of-my-own';

/** What one insider tries in order to be two persons. */
describe('An insider alone', () => {
  let platform: TestPlatform;
  let approvals: ApprovalSteps;
  let treasury: TreasurySteps;
  let admin: TestAdmin;

  beforeAll(async () => {
    platform = await startPlatform({
      settings: { WITHDRAWAL_FOUR_EYES_ABOVE: '1000.00', DEPOSIT_POLL_SECONDS: '3600' },
    });
    treasury = await treasurySteps(platform);
    approvals = await approvalSteps(platform);
    admin = await platform.given.admin();
  });
  afterAll(() => platform?.stop());

  const refused = (reason: string) => ({
    status: 403,
    code: 'FOUR_EYES_REQUIRED',
    body: { error: { details: { reason } } },
  });
  const register = (body: object, by: { token: string } = admin) => platform.as(by).post(REGISTER, body);
  const resolve = (alertId: string, by: { token: string }) =>
    platform.as(by).post(`/api/admin/alerts/${alertId}/resolve`, { reason: 'All is well.' });

  async function sessionOf(email: string, password: string): Promise<TestAdmin> {
    const { data } = await platform.as(null).post('/api/admin/auth/login', { email, password });
    return { email, token: data.token };
  }

  /** An account with a first password by `giver`, which the giver has replaced in the name of its owner. */
  async function takenOver(name: string, giver = admin): Promise<TestAdmin> {
    const email = `${name}@example.com`;
    await listAdmin(platform, email);
    await approvals.carryOut(register({ email, password: FIRST }, giver));
    await register({ email, password: OWN, currentPassword: FIRST }, await sessionOf(email, FIRST));
    return sessionOf(email, OWN);
  }

  async function alertAbout(id: string): Promise<{ id: string; kind: string }> {
    const { data } = await platform.as(admin).get('/api/admin/alerts?limit=100');
    return data.find(({ subject }: { subject: { id: string } }) => subject.id === id);
  }

  it('cannot act as two persons through two colleagues whose first passwords the insider has set [SEC-220]', async () => {
    const first = await takenOver('twin-one');
    const second = await takenOver('twin-two');
    const { id: userId } = await platform.given.user();
    const { data } = await treasury.create({ type: 'deposit', userId, amount: '250000.00' }, first);
    expect(await treasury.approve(data.id, second)).toMatchObject(refused('password-set-by-other'));
    expect(await approvals.approve(data.id, second)).toMatchObject(refused('password-set-by-other'));
  });

  it('cannot act as two persons through a colleague whose first password another taken-over colleague has set', async () => {
    const middle = await takenOver('chain-middle');
    const last = await takenOver('chain-last', middle);
    const { id: userId } = await platform.given.user();
    const { data } = await treasury.create({ type: 'deposit', userId, amount: '250000.00' });
    expect(await treasury.approve(data.id, last)).toMatchObject(refused('password-set-by-other'));
  });

  it('cannot resolve the alert about an own payment as a colleague whose password the insider has set [SEC-221]', async () => {
    const colleague = await takenOver('resolver');
    const { id } = await treasury.withdrawals.createProcessing('500.00');
    await treasury.withdrawals.complete(id); // a hash that the chain does not know
    platform.clock.advance(HOUR_MS);
    await platform.runJob('withdrawal-chain-checks');
    const alert = await alertAbout(id);
    expect(alert.kind).toBe('payment-mismatch');
    expect(await resolve(alert.id, admin)).toMatchObject(refused('same-person'));
    expect(await resolve(alert.id, colleague)).toMatchObject(refused('password-set-by-other'));
    expect((await resolve(alert.id, approvals.second)).status).toBe(200);
  });

  it('can neither approve nor take nor complete a withdrawal that the same person has requested as a user [SEC-222]', async () => {
    const user = await platform.given.user('promoted@example.com');
    await listAdmin(platform, user.email); // before the deposit: ADMINS_FILE cannot name a user who owns money
    await platform.given.deposit(user.id, '5000.00');
    const large = (await treasury.withdrawals.request(user, '2000.00')).data.id;
    const small = (await treasury.withdrawals.request(user, '20.00')).data.id;
    const promoted = await platform.given.admin('promoted');
    expect(await approvals.approve(large, promoted)).toMatchObject(refused('same-person'));
    expect(await treasury.withdrawals.take(small, promoted)).toMatchObject(refused('same-person'));
    const bulk = await platform.as(promoted).post('/api/admin/withdrawals/bulk-take', { ids: [small] });
    expect(bulk.data).toMatchObject({ taken: [], failed: [{ id: small, code: 'FOUR_EYES_REQUIRED' }] });
    await treasury.withdrawals.take(small);
    expect(await treasury.withdrawals.complete(small, undefined, {}, promoted)).toMatchObject(
      refused('same-person'),
    );
  });

  it('cannot decide as a colleague by a sign-in with another identity, which starts a hold, nor replace an unknown password', async () => {
    const email = 'taken-over@example.com';
    await listAdmin(platform, email);
    await register({ email, password: OWN }, await platform.given.admin('taken-over'));
    const { data: signedIn } = await signInWith(platform, { email, sub: 'another account at the provider' });
    const thief = { email, token: signedIn.token };
    const { id: userId } = await platform.given.user();
    const { data } = await treasury.create({ type: 'deposit', userId, amount: '250000.00' });
    expect(await treasury.approve(data.id, thief)).toMatchObject(refused('new-identity'));
    expect((await register({ email, password: 'the-password-of-a-thief' }, thief)).code).toBe(
      'MISSING_REQUIRED_FIELD',
    );
  });

  it('cannot pay a withdrawal in parts and reject it alone [SEC-223]', async () => {
    const strict = await startPlatform({
      settings: { CUSTODY_ADDRESSES: TREASURY_ADDRESS, DEPOSIT_POLL_SECONDS: '3600' },
    });
    try {
      const steps = await treasurySteps(strict);
      const { id } = await steps.withdrawals.createProcessing('100.00');
      await strict.outside.chain.payUsdc(DESTINATION, '60.00');
      await strict.outside.chain.payUsdc(DESTINATION, '39.99'); // 99.99 together
      expect(await steps.withdrawals.reject(id)).toMatchObject({
        status: 202,
        data: { kind: 'withdrawal.reject-paid' },
      });
    } finally {
      await strict.stop();
    }
  });

  it('cannot replace the resolution of a break that the second person has read', async () => {
    const steps = new ReconciliationSteps(platform, admin);
    const line = {
      reference: 'B-1',
      amount: '5000.00',
      currency: 'USDC',
      direction: 'out',
      date: platform.clock.today(),
    };
    const { data } = await steps.createFromCustody([line]);
    const [found] = await steps.lines(data.id);
    const id = found?.id as string;
    const act = (verb: string, body: object) =>
      platform.as(admin).post(`${RECONCILIATION_BREAKS}/${id}/${verb}`, body);
    await act('assign', { owner: admin.email });
    await act('propose', { resolution: 'timing', note: 'It comes tomorrow.' });
    const { requestedAt } = (await approvals.get(id)).data;
    platform.clock.advance(1000);
    await act('reopen', { reason: 'A slip' });
    await act('assign', { owner: admin.email });
    await act('propose', { resolution: 'accepted', note: 'The money is gone.' });
    const approve = (body: object) => platform.as(approvals.second).post(`${APPROVALS}/${id}/approve`, body);
    expect((await approve({ requestedAt })).code).toBe('INVALID_STATE');
    const present = (await approvals.get(id)).data.requestedAt;
    expect((await approve({ requestedAt: present })).data.status).toBe('approved');
  });

  it('cannot get a change approved that was only written to the table of approvals', async () => {
    const ann = await platform.given.user();
    const at = platform.clock.now();
    const [{ id }] = await platform.dataSource.query(
      `insert into approval (id, kind, subject_type, subject_id, subject_label, change_before, change_after, input, status,
                             requested_by, requested_at, expires_at, seal)
       values (gen_random_uuid(), 'user.email-change', 'user', $1, $2, $3, $4, '{}', 'pending', $5, $6, $7, $8) returning id`,
      [
        ann.id,
        ann.email,
        { email: ann.email },
        { email: 'thief@example.org' },
        admin.email,
        at,
        new Date(at.getTime() + HOUR_MS),
        WRONG_SEAL,
      ],
    );
    expect((await approvals.approve(id)).data).toMatchObject({
      status: 'failed',
      failure: { code: 'INVALID_STATE', message: 'The audit log has no such request.' },
    });
    expect((await platform.as(admin).get(`${ADMIN_USERS}/${ann.id}`)).data.email).toBe(ann.email);
  });

  it.each(['a\u0007b@example.org', '\u202eann@example.org', 'a\u200bb@example.org', '\u212aim@example.org'])(
    'cannot hide %j in an e-mail address that the second person reads',
    async (email) => {
      const ann = await platform.given.user();
      const reply = await platform.as(admin).put(`${ADMIN_USERS}/${ann.id}`, { email, reason: 'Asked' });
      expect(reply).toMatchObject({ status: 400, code: 'INVALID_EMAIL' });
    },
  );
});
