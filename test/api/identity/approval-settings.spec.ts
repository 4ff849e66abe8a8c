import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type AppConfig, type ConfigError, loadConfig } from '../../../src/config/app-config.js';
import { CHANGE_KINDS, type ChangeKind } from '../../../src/modules/identity/approvals/approvals.types.js';
import { approvalRequests, LARGE_WITHDRAWAL, type RequestChange } from '../../fixtures/approval-requests.js';
import { APPROVALS } from '../../fixtures/approvals.js';
import type { TestAdmin } from '../../fixtures/given.js';
import { limitsFile, TWO_TIERS } from '../../fixtures/limits.js';
import { givenAdminWithTotp } from '../../fixtures/step-ups.js';
import { treasurySteps, type TreasurySteps } from '../../fixtures/treasury.js';
import { MetricsPage } from '../../harness/metrics.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import { startReplica } from '../../harness/replica.js';
import { testFolder } from '../../harness/test-folder.js';
import type { StepUpAction } from '../../../src/http/auth/step-up.js';

/** The response to a request that takes effect at once. */
const RESPONSES: Record<ChangeKind, [status: number, data: object]> = {
  'admin.factor-reset': [200, { email: expect.stringContaining('@example.com') }],
  'admin.password-set': [201, { email: expect.stringContaining('@example.com') }],
  'integrity.resume': [200, { ended: { reason: 'Something is odd' }, stillBroken: [] }],
  'log.continue': [200, { checkpoint: expect.any(String) }],
  'screening.accept': [200, { reason: 'A namesake', acceptedBy: 'admin@example.com' }],
  'user.email-change': [200, { email: expect.stringMatching(/^renamed-/) }],
  'user.factor-reset': [200, { hold: { reason: 'factor-reset' }, resetBy: 'admin@example.com' }],
  'user.hold-end': [200, { ended: { reason: 'email-changed' }, endedBy: 'admin@example.com' }],
  'user.tier-change': [200, { tier: { id: 'premium', name: 'Premium' } }],
  'user.unlock': [200, { ended: { by: 'session' }, endedBy: 'admin@example.com' }],
  'withdrawal.complete-mismatch': [200, { status: 'completed', chainCheck: 'mismatch' }],
  'withdrawal.release': [200, { status: 'pending', heldByPlatformLimit: false }],
  'withdrawal.reject-paid': [200, { status: 'rejected' }],
  'yield-report.accept': [200, { decidedBy: 'admin@example.com' }],
};

/** The action of the step-up that a change by one admin needs; admin-second-factors.spec.ts has those of the other kinds. */
const STEP_UP_ACTIONS = {
  'admin.password-set': 'admin.password-set',
  'screening.accept': 'screening.accept',
  'user.email-change': 'user.email-change',
  'user.factor-reset': 'user.factor-reset',
  'user.hold-end': 'user.hold-end',
  'user.tier-change': 'user.tier-change',
  'user.unlock': 'user.unlock',
  'withdrawal.complete-mismatch': 'withdrawal.complete',
  'withdrawal.reject-paid': 'withdrawal.reject',
  'withdrawal.release': 'withdrawal.release',
  'yield-report.accept': 'yield-report.accept',
} as const satisfies Partial<Record<ChangeKind, StepUpAction>>;

const healthOf = async (platform: TestPlatform, url?: string) =>
  (await platform.as(null, url).get('/api/health/detailed')).data;

describe('With FOUR_EYES=off', () => {
  let platform: TestPlatform;
  let admin: TestAdmin;
  let steps: TreasurySteps;
  let requests: Record<ChangeKind, RequestChange>;

  beforeAll(async () => {
    platform = await startPlatform({
      settings: {
        FOUR_EYES: 'off',
        DEPOSIT_POLL_SECONDS: '3600',
        LOG_SEAL_SECONDS: '3600',
        WITHDRAWAL_FOUR_EYES_ABOVE: LARGE_WITHDRAWAL,
        LIMITS_FILE: limitsFile(TWO_TIERS),
      },
      screening: true,
    });
    steps = await treasurySteps(platform);
    admin = steps.admin;
    requests = approvalRequests(steps);
    await platform.runJob('log-sealing');
  });
  afterAll(() => platform?.stop());

  it.each(CHANGE_KINDS)('one admin makes the change `%s` at once', async (kind) => {
    const { reply, readRows, changed } = await requests[kind](admin);
    const [status, data] = RESPONSES[kind];
    expect(reply).toMatchObject({ status, data });
    expect(await readRows()).toMatchObject(changed);
    expect((await platform.as(steps.admin2).get(`${APPROVALS}?kind=${kind}`)).data).toEqual([]);
  });

  it.each(Object.entries(STEP_UP_ACTIONS) as [keyof typeof STEP_UP_ACTIONS, StepUpAction][])(
    'an admin who has a second factor needs a step-up for the change `%s` [SEC-640]',
    async (kind, action) => {
      const { reply, readRows, changed } = await requests[kind]((await givenAdminWithTotp(platform)).user);
      expect([reply.code, reply.body.error?.details]).toEqual([
        'STEP_UP_REQUIRED',
        { action, methods: ['totp', 'recovery-code'] },
      ]);
      expect(await readRows()).not.toMatchObject(changed);
    },
  );

  it('a step-up for an e-mail address covers each spelling of the address, and no other change of the user', async () => {
    const app = await givenAdminWithTotp(platform);
    const { id } = await platform.given.user();
    const change = (email: string, token: string) =>
      platform
        .as(app.user)
        .put(
          `/api/admin/users/${id}`,
          { email, reason: 'Asked by letter' },
          { headers: { 'x-step-up': token } },
        );
    const email = `renamed-${id}@example.org`;
    const token = await app.stepUp('user.email-change', { id, email: ` ${email.toUpperCase()} ` });
    expect((await change(`other-${email}`, token)).code).toBe('STEP_UP_INVALID');
    expect((await change(email, token)).data.email).toBe(email);
    const status = { status: 'suspended', reason: 'Asked by letter' };
    expect((await platform.as(app.user).put(`/api/admin/users/${id}`, status)).status).toBe(200);
  });

  it('an admin may resolve the alert about a withdrawal that the admin has completed', async () => {
    await requests['withdrawal.complete-mismatch'](admin);
    const [alert] = (await platform.as(admin).get('/api/admin/alerts')).data;
    expect(alert.kind).toBe('payment-mismatch');
    const path = `/api/admin/alerts/${alert.id}/resolve`;
    expect((await platform.as(admin).post(path, { reason: 'Clear' })).status).toBe(200);
  });

  it('a manual transaction still needs another admin', async () => {
    const { id: userId } = await platform.given.user();
    const { id } = (await steps.create({ type: 'deposit', userId })).data;
    expect((await steps.approve(id, admin)).code).toBe('FOUR_EYES_REQUIRED');
  });

  it('the setting is shown in the health of the service and by the metric four_eyes', async () => {
    expect(await healthOf(platform)).toMatchObject({ fourEyes: 'off' });
    expect((await MetricsPage.fetch(platform.baseUrl)).value('four_eyes')).toBe(0);
    const url = await startReplica(platform, { FOUR_EYES: 'on' } as Partial<AppConfig>);
    expect(await healthOf(platform, url)).toMatchObject({ fourEyes: 'on' });
    expect((await MetricsPage.fetch(url)).value('four_eyes')).toBe(1);
  });
});

describe('The start of a process', () => {
  let platform: TestPlatform;

  beforeAll(async () => {
    platform = await startPlatform();
  });
  afterAll(() => platform?.stop());

  let files = 0;
  /** Starts a process with these admins in ADMINS_FILE, by the name before the @ and the roles. */
  function start(admins: Record<string, object>, changes: Partial<AppConfig> = {}): Promise<string> {
    const listed = Object.entries(admins).map(([name, fields]) => ({
      email: `${name}@example.com`,
      name,
      roles: ['admin'],
      ...fields,
    }));
    const file = join(testFolder(`admins-${++files}`), 'admins.json');
    writeFileSync(file, JSON.stringify(listed));
    return startReplica(platform, {
      NODE_ENV: 'production',
      ADMINS_FILE: file,
      ...changes,
    } as Partial<AppConfig>);
  }
  const REMEDY =
    'ADMINS_FILE lists fewer than two active admins with all permissions (*), so that no change can be approved. ' +
    'Add a second one, or set FOUR_EYES=off and FOUR_EYES_ACCEPTED_RISK=one-admin.';

  it.each([
    ['only one admin is listed', { ann: {} }],
    ['the second admin is disabled', { ann: {}, ben: { status: 'disabled' } }],
    ['the second admin has not all permissions', { ann: {}, ben: { roles: ['operator'] } }],
  ])('is refused in production if %s, with the remedy [SEC-217]', async (_what, admins) => {
    await expect(start(admins)).rejects.toThrow(REMEDY);
  });

  it('succeeds in production with two admins, or with FOUR_EYES=off, which the health shows', async () => {
    expect(await healthOf(platform, await start({ ann: {}, ben: {} }))).toMatchObject({ fourEyes: 'on' });
    const alone = await start({ ann: {} }, { FOUR_EYES: 'off', FOUR_EYES_ACCEPTED_RISK: 'one-admin' });
    expect(await healthOf(platform, alone)).toMatchObject({ fourEyes: 'off' });
  });

  it('is refused in production with FOUR_EYES=off unless FOUR_EYES_ACCEPTED_RISK accepts it', () => {
    /** The faults about FOUR_EYES; the sandbox's settings have further ones in production. */
    const faultsWith = (changes: Record<string, string>): readonly string[] => {
      try {
        loadConfig({ ...platform.env, NODE_ENV: 'production', ...changes });
        return [];
      } catch (error) {
        return (error as ConfigError).faults.filter((fault) => fault.startsWith('FOUR_EYES'));
      }
    };
    expect(faultsWith({})).toEqual([]);
    expect(faultsWith({ FOUR_EYES: 'off' })).toEqual([
      'FOUR_EYES=off lets one admin move money alone. Remove it, or set FOUR_EYES_ACCEPTED_RISK=one-admin.',
    ]);
    expect(faultsWith({ FOUR_EYES: 'off', FOUR_EYES_ACCEPTED_RISK: 'one-admin' })).toEqual([]);
  });

  it('succeeds outside of production with one admin', async () => {
    expect(await healthOf(platform, await start({ ann: {} }, { NODE_ENV: 'test' }))).toMatchObject({
      fourEyes: 'on',
    });
  });
});
