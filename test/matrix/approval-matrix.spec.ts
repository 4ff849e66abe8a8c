import { APPROVAL_KINDS, type ApprovalKind } from '../../src/modules/identity/approvals/approvals.types.js';
import { ApprovalHandlersService } from '../../src/modules/identity/approvals/approval-handlers.service.js';
import {
  approvalRequests,
  LARGE_WITHDRAWAL,
  type RequestChange,
  type RequestedChange,
} from '../fixtures/approval-requests.js';
import { approvalSteps, type ApprovalSteps } from '../fixtures/approvals.js';
import type { TestAdmin } from '../fixtures/given.js';
import { limitsFile, TWO_TIERS } from '../fixtures/limits.js';
import { listAdmin } from '../fixtures/listed-admins.js';
import { treasurySteps } from '../fixtures/treasury.js';
import type { Reply } from '../harness/http-client.js';
import { startPlatform, type TestPlatform } from '../harness/platform.js';

// Decides about a pending approval of every kind as every caller, and compares the outcome with a table written by hand.

/** The requester of a withdrawal is its user, of any other change an admin, who has set the first passwords of both colleagues. */
const CALLERS = [
  'requester',
  'colleague with the first password',
  'colleague with an own password',
  'admin without the permission',
  'admin with the permission',
] as const;
type Caller = (typeof CALLERS)[number];

const VERBS = ['approve', 'reject'] as const;
type Verb = (typeof VERBS)[number];

const DONE = 'done';

/** The outcomes for the callers in their order. */
const REFUSED_TO_SAME_PERSON = [
  'FOUR_EYES_REQUIRED',
  'FOUR_EYES_REQUIRED',
  'FOUR_EYES_REQUIRED',
  'PERMISSION_DENIED',
  DONE,
];
/** A rejection of a record moves no money towards anybody but its owner, so that it needs no second person. */
const OPEN_TO_ALL_PERMITTED = [DONE, DONE, DONE, 'PERMISSION_DENIED', DONE];

const BY_TWO = { approve: REFUSED_TO_SAME_PERSON, reject: REFUSED_TO_SAME_PERSON };
const OUTCOMES: Record<ApprovalKind, Record<Verb, readonly string[]>> = {
  'admin.factor-reset': BY_TWO,
  'admin.password-set': BY_TWO,
  'integrity.resume': BY_TWO,
  'log.continue': BY_TWO,
  'screening.accept': BY_TWO,
  'user.email-change': BY_TWO,
  'user.factor-reset': BY_TWO,
  'user.hold-end': BY_TWO,
  'user.tier-change': BY_TWO,
  'user.unlock': BY_TWO,
  'withdrawal.complete-mismatch': BY_TWO,
  'withdrawal.reject-paid': BY_TWO,
  'withdrawal.release': BY_TWO,
  'yield-report.accept': BY_TWO,
  break: { approve: REFUSED_TO_SAME_PERSON, reject: OPEN_TO_ALL_PERMITTED },
  transaction: { approve: REFUSED_TO_SAME_PERSON, reject: OPEN_TO_ALL_PERMITTED },
  // The first step of an admin is the approval itself; another admin has to take the withdrawal.
  withdrawal: {
    approve: ['ADMIN_REQUIRED', 'FOUR_EYES_REQUIRED', DONE, 'PERMISSION_DENIED', DONE],
    reject: ['ADMIN_REQUIRED', DONE, DONE, 'PERMISSION_DENIED', DONE],
  },
};

const PASSWORD = 'a-password-of-twelve';
const REGISTER = '/api/admin/auth/register';

describe('The matrix of admins and decisions about approvals', () => {
  let platform: TestPlatform;
  let approvals: ApprovalSteps;
  let requests: Record<ApprovalKind, RequestChange>;
  let requester: TestAdmin;
  /** All callers but the requester, and but the one without the permission, which depends on the kind. */
  let colleagues: Record<string, TestAdmin>;

  beforeAll(async () => {
    platform = await startPlatform({
      settings: {
        DEPOSIT_POLL_SECONDS: '3600',
        WITHDRAWAL_FOUR_EYES_ABOVE: LARGE_WITHDRAWAL,
        LIMITS_FILE: limitsFile(TWO_TIERS),
      },
      screening: true,
    });
    approvals = await approvalSteps(platform);
    requester = await platform.given.admin();
    requests = approvalRequests(await treasurySteps(platform));
    const withFirst = await colleagueWithFirstPassword('new-colleague@example.com');
    const withOwn = await colleagueWithFirstPassword('colleague@example.com');
    const change = { email: withOwn.email, password: `${PASSWORD}-of-mine`, currentPassword: PASSWORD };
    expect((await platform.as(withOwn).post(REGISTER, change)).status).toBe(201);
    await listAdmin(platform, 'third@example.com');
    colleagues = {
      'colleague with the first password': withFirst,
      'colleague with an own password': withOwn,
      'admin with the permission': await platform.given.admin('third'),
    };
  });
  afterAll(() => platform?.stop());

  /** Signs in a new colleague with the first password, which `requester` has set and a second admin has approved. */
  async function colleagueWithFirstPassword(email: string): Promise<TestAdmin> {
    await listAdmin(platform, email);
    await approvals.carryOut(platform.as(requester).post(REGISTER, { email, password: PASSWORD }));
    const { data } = await platform.as(null).post('/api/admin/auth/login', { email, password: PASSWORD });
    return { email, token: data.token };
  }

  async function findDecider(caller: Caller, kind: ApprovalKind, change: RequestedChange) {
    if (caller === 'requester') return change.requester;
    if (caller !== 'admin without the permission') return colleagues[caller] as TestAdmin;
    // Each of the two roles has some permissions, but not this one.
    const needed = platform.app.get(ApprovalHandlersService).permissionOf(kind);
    return platform.given.admin(needed === 'withdrawals:approve' ? 'support' : 'operator');
  }

  const decide = (by: { token: string }, verb: Verb, id: string): Promise<Reply> =>
    platform.as(by).post(`/api/admin/approvals/${id}/${verb}`, verb === 'reject' ? { reason: 'No' } : {});

  /** The state that a refused decision must not change. */
  const stateOf = async ({ approvalId, readRows }: RequestedChange) => ({
    rows: await readRows(),
    approval: (await approvals.get(approvalId, approvals.second)).data,
    ledger: await platform.ledgerState(),
  });

  async function expectDone(change: RequestedChange, verb: Verb, by: { token: string }): Promise<void> {
    const { approvalId, readRows, changed, afterRejection } = change;
    const before = await readRows();
    const reply = await decide(by, verb, approvalId);
    const status = verb === 'approve' ? 'approved' : 'rejected';
    expect(reply).toMatchObject({ status: 200, data: { id: approvalId, status, failure: null } });
    const after = await readRows();
    if (verb === 'approve') expect(after).toMatchObject(changed);
    else if (afterRejection) expect(after).toMatchObject(afterRejection);
    else expect(after).toEqual(before);
    expect((await decide(by, verb, approvalId)).body.success).toBe(false); // a second decision is refused
  }

  it.each(APPROVAL_KINDS)(
    'lets exactly the admins of the table decide about the kind `%s` [SEC-204]',
    async (kind) => {
      let pending = await requests[kind](requester);
      let cells = 0;
      // Rejections come first, because approvals end the pause and the restored state of the log.
      for (const verb of ['reject', 'approve'] as const) {
        for (const [index, caller] of CALLERS.entries()) {
          const outcome = OUTCOMES[kind][verb][index] as string;
          const by = await findDecider(caller, kind, pending);
          const before = await stateOf(pending);
          expect(before).toMatchObject({ approval: { status: 'pending', kind } });
          expect(before.rows).not.toMatchObject(pending.changed);
          if (outcome === DONE) {
            await expectDone(pending, verb, by);
            const isLast = verb === 'approve' && caller === CALLERS.at(-1);
            if (!isLast) pending = await requests[kind](requester);
          } else {
            const refused = await decide(by, verb, pending.approvalId);
            expect([kind, verb, caller, refused.status, refused.code]).toEqual([
              kind,
              verb,
              caller,
              403,
              outcome,
            ]);
            expect(await stateOf(pending)).toEqual(before);
          }
          cells++;
        }
      }
      expect(cells).toBe(CALLERS.length * VERBS.length);
    },
  );

  it('has 170 cells: every kind, caller and decision', () => {
    expect(Object.keys(requests).sort()).toEqual([...APPROVAL_KINDS].sort());
    expect(APPROVAL_KINDS.flatMap((kind) => VERBS.flatMap((verb) => OUTCOMES[kind][verb]))).toHaveLength(170);
    expect(APPROVAL_KINDS.length * CALLERS.length * VERBS.length).toBe(170);
  });
});
