import { StepUps } from '../../../src/http/auth/step-up.js';
import type { TestUser } from '../../fixtures/given.js';
import { TotpApp } from '../../fixtures/step-ups.js';
import { DESTINATION } from '../../fixtures/withdrawals.js';
import { startReplica } from '../../harness/replica.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';

const WITHDRAWALS = '/api/user/withdrawals';
const WITHDRAWAL = { amount: '100.00', currency: 'USDC', toAddress: DESTINATION };

let platform: TestPlatform;
let user: TestUser;
let app: TotpApp;

beforeAll(async () => {
  platform = await startPlatform();
  user = await platform.given.user().withBalance('10000.00');
  app = await TotpApp.register(platform, user);
});
afterAll(() => platform?.stop());

describe('With STEP_UP=off', () => {
  it('no action needs a step-up, and none uses one up', async () => {
    const off = await startReplica(platform, { STEP_UP: 'off' });
    const caller = platform.as(user, off);
    const token = await app.stepUp('withdrawal.request', WITHDRAWAL);
    const headers = { 'x-step-up': token };
    expect((await platform.as(user).post(WITHDRAWALS, WITHDRAWAL)).code).toBe('STEP_UP_REQUIRED');
    const replies = [
      await caller.post(WITHDRAWALS, WITHDRAWAL),
      await caller.post(WITHDRAWALS, WITHDRAWAL, { headers }),
      await caller.post('/api/user/addresses', { label: 'Mine', network: 'ERC20', address: DESTINATION }),
      await caller.post('/api/user/api-keys', { name: 'Key', scopes: ['withdrawals:write'] }),
      await caller.put('/api/user/profile', { notifications: { email: false } }),
      await caller.post('/api/user/recovery-codes'),
    ];
    expect(replies.map(({ status }) => status)).toEqual([201, 201, 201, 201, 200, 201]);
    expect((await platform.as(user).post(WITHDRAWALS, WITHDRAWAL, { headers })).status).toBe(201);
  });
});

describe('The check of a step-up', () => {
  it('refuses a caller who has neither a sign-in nor an API key [SEC-642]', () => {
    const issuedAt = platform.clock.now();
    // They have neither a `familyId`, which names the sign-in, nor an `apiKey`.
    const callers = [
      { type: 'user', ...user, sessionId: user.id, issuedAt, expiresAt: null },
      {
        type: 'admin',
        ...user,
        sessionId: user.id,
        issuedAt,
        expiresAt: issuedAt,
        roles: [],
        permissions: [],
      },
    ] as const;
    for (const caller of callers)
      expect(() => platform.app.get(StepUps).checkOf(caller, undefined, 'withdrawal.request')).toThrow(
        expect.objectContaining({ code: 'FORBIDDEN' }),
      );
  });
});

describe('With STEP_UP_SECONDS=0', () => {
  it('a token is expired at once, and the action needs another step-up', async () => {
    const short = await startReplica(platform, { STEP_UP_SECONDS: 0 });
    const token = await app.stepUp('withdrawal.request', WITHDRAWAL, { at: short });
    const reply = await platform.as(user).post(WITHDRAWALS, WITHDRAWAL, { headers: { 'x-step-up': token } });
    expect([reply.code, reply.body.error.details]).toEqual(['STEP_UP_INVALID', { reason: 'expired' }]);
  });
});
