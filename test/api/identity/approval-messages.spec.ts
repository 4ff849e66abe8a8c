import { ADMIN_USERS } from '../../fixtures/admin-users.js';
import { OPERATORS_OWN, uniqueAmount } from '../../fixtures/approval-requests.js';
import { approvalSteps, type ApprovalSteps } from '../../fixtures/approvals.js';
import type { TestAdmin } from '../../fixtures/given.js';
import { changeTier, limitsFile, TWO_TIERS } from '../../fixtures/limits.js';
import { listAdmin } from '../../fixtures/listed-admins.js';
import { liveSteps, type LiveSteps } from '../../fixtures/live.js';
import { MailScenario } from '../../fixtures/mail-scenario.js';
import type { LiveClient } from '../../harness/live-client.js';
import { eventually } from '../../harness/eventually.js';
import type { TestPlatform } from '../../harness/platform.js';

const NAMES = ['admin', 'admin2', 'operator', 'support', 'readonly'] as const;
type Name = (typeof NAMES)[number];
const REQUESTED = 'A change waits for your approval';
const DECIDED = 'Your request was decided';
const PASSWORD = 'a-password-of-twelve';

describe('A change that waits for a second admin', () => {
  let scenario: MailScenario;
  let platform: TestPlatform;
  let approvals: ApprovalSteps;
  let live: LiveSteps;
  let admins: Record<Name, TestAdmin>;

  beforeAll(async () => {
    scenario = await MailScenario.start({ LIMITS_FILE: limitsFile(TWO_TIERS) });
    ({ platform } = scenario);
    approvals = await approvalSteps(platform);
    live = liveSteps(platform);
    const sessions = await Promise.all(NAMES.map(async (name) => [name, await platform.given.admin(name)]));
    admins = Object.fromEntries(sessions) as Record<Name, TestAdmin>;
  });
  afterEach(() => live.endAll());
  afterAll(() => scenario?.stop());

  const changeEmail = async (by: TestAdmin) => {
    const { id, email } = await platform.given.user();
    const body = { email: `renamed-${email}`, reason: 'Asked by letter.' };
    return (await platform.as(by).put(`${ADMIN_USERS}/${id}`, body)).data;
  };
  /** An operator's request to complete a withdrawal that was paid to another address. */
  const completeWrongly = async (by: TestAdmin) => {
    const amount = uniqueAmount();
    const { id } = await scenario.steps.createProcessing(amount);
    const hash = await platform.outside.chain.payUsdc(OPERATORS_OWN, amount);
    return (await scenario.steps.complete(id, hash, {}, by)).data;
  };

  describe('is announced live', () => {
    async function connectAll(): Promise<Record<Name, LiveClient>> {
      const clients = NAMES.map(async (name) => [name, await live.connect({ token: admins[name].token })]);
      return Object.fromEntries(await Promise.all(clients)) as Record<Name, LiveClient>;
    }
    const approvalEvents = ({ events }: LiveClient) =>
      events.filter(({ type }) => type.startsWith('approval.'));

    /** The event names the change; the approval itself shows its content. */
    const eventDataOf = ({ id, kind, status, subject, requestedBy, decidedBy }: any) => ({
      id,
      kind,
      status,
      requestedBy,
      decidedBy,
      subjectType: subject.type,
      subjectId: subject.id,
      subjectLabel: subject.label,
    });

    it('to the admins who may decide its kind, and its decision to the requester [SEC-218]', async () => {
      const clients = await connectAll();
      const renaming = await changeEmail(admins.admin);
      const completion = await completeWrongly(admins.operator);
      const decided = (await approvals.approve(renaming.id, admins.admin2)).data;
      const rejected = (await approvals.reject(completion.id, 'No', admins.admin2)).data;
      const first = { type: 'approval.requested', data: eventDataOf(renaming) };
      const second = { type: 'approval.requested', data: eventDataOf(completion) };
      const expected: Record<Name, object[]> = {
        admin: [first, second, { type: 'approval.decided', data: eventDataOf(decided) }],
        admin2: [first, second],
        operator: [second, { type: 'approval.decided', data: eventDataOf(rejected) }],
        support: [],
        readonly: [],
      };
      await eventually(async () => {
        for (const name of ['admin', 'operator'] as const)
          expect(approvalEvents(clients[name])).toHaveLength(expected[name].length);
      });
      await changeEmail(admins.admin); // its event follows all others
      await clients.admin2.received(3);
      for (const name of NAMES) {
        const events = approvalEvents(clients[name]).filter(({ data }) =>
          [renaming.id, completion.id].includes(data.id),
        );
        expect(events.map(({ type, data }) => ({ type, data }))).toEqual(expected[name]);
      }
    });
  });

  describe('is announced by mail', () => {
    beforeEach(async () => {
      await scenario.sendDueMails();
      scenario.forgetReceivedMails();
    });
    /** The subjects of the mails about approvals, by admin. */
    const subjects = async () => {
      await scenario.sendDueMails();
      const subjectsTo = (admin: TestAdmin) =>
        scenario
          .subjectsTo(admin)
          .filter((subject) => [REQUESTED, DECIDED].some((end) => subject.includes(end)));
      return Object.fromEntries(NAMES.map((name) => [name, subjectsTo(admins[name])]));
    };
    const about = (part: string): unknown => expect.stringContaining(part);

    it('to the admins who may decide it without the requester, and its decision to the requester', async () => {
      const renaming = await changeEmail(admins.admin);
      const completion = await completeWrongly(admins.operator);
      expect(await subjects()).toEqual({
        admin: [about(REQUESTED)],
        admin2: [about(REQUESTED), about(REQUESTED)],
        operator: [],
        support: [],
        readonly: [],
      });
      const mail = scenario.mailsTo(admins.admin2).find(({ text }) => text.includes('user.email-change'));
      for (const text of [mail?.text, mail?.html])
        for (const part of [renaming.subject.label, admins.admin.email, 'Asked by letter.'])
          expect(text).toContain(part);
      scenario.forgetReceivedMails();
      await approvals.approve(renaming.id, admins.admin2, 'Called her.');
      await approvals.reject(completion.id, 'Wrong address.', admins.admin2);
      expect(await subjects()).toEqual({
        admin: [about(DECIDED)],
        admin2: [],
        operator: [about(DECIDED)],
        support: [],
        readonly: [],
      });
      const [approved] = scenario.mailsTo(admins.admin);
      for (const part of ['approved', admins.admin2.email, 'Called her.'])
        expect(approved?.text).toContain(part);
      const [rejected] = scenario.mailsTo(admins.operator);
      for (const part of ['rejected', 'Wrong address.']) expect(rejected?.text).toContain(part);
    });

    it('and, once it is approved, to the colleague whose password it sets; no mail contains the password or its hash [SEC-219]', async () => {
      const email = 'new-colleague@example.com';
      await listAdmin(platform, email, ['operator']); // who may not decide about passwords
      const register = platform
        .as(admins.admin)
        .post('/api/admin/auth/register', { email, password: PASSWORD });
      const { id } = (await register).data;
      await scenario.sendDueMails();
      expect(scenario.mailsTo({ email })).toEqual([]); // nothing was set yet
      await approvals.approve(id, admins.admin2);
      expect(await subjects()).toMatchObject({ admin: [about(DECIDED)], admin2: [about(REQUESTED)] });
      const [mail, ...others] = scenario.mailsTo({ email });
      expect(others).toEqual([]);
      expect(mail?.subject).toContain('Password set for your admin account');
      for (const part of [admins.admin.email, admins.admin2.email]) expect(mail?.text).toContain(part);
      const [{ stored }] = await platform.dataSource.query('select json_agg(mail) as stored from mail');
      const [{ hash }] = await platform.dataSource.query(
        'select password_hash as hash from admin_account where email = $1',
        [email],
      );
      for (const text of [JSON.stringify(scenario.server.mails), JSON.stringify(stored)]) {
        expect(text).not.toContain(PASSWORD);
        expect(text).not.toContain('argon2');
        expect(text).not.toContain(hash.split('$').at(-1));
      }
    });

    it('and, once it is approved, to the user whose tier of limits it changes, in the language of the profile and with a notification', async () => {
      const ann = await scenario.userWithoutOptionalMail();
      await platform.as(ann).put('/api/user/profile', { language: 'de' });
      await changeTier(platform, approvals, ann, 'premium');
      await scenario.sendDueMails();
      const [mail] = scenario.mailsTo(ann);
      expect(mail?.subject).toBe('Limits Ihres Kontos geändert');
      expect(mail?.text).toContain('Stufe: Premium\n');
      const [note] = (await platform.as(ann).get('/api/user/notifications?type=security')).data;
      expect(note).toMatchObject({
        title: 'Limits geändert',
        message: expect.stringContaining('„Premium“'),
        metadata: { event: 'security.tier-changed' },
      });
      const { data: feed } = await platform
        .as(admins.admin)
        .get('/api/admin/events?types=security.tier-changed');
      expect(feed.events).toMatchObject([{ userId: ann.id, data: { tier: 'Premium' } }]);
    });
  });
});
