import { HOUR_MS } from '../../../src/common/durations.js';
import { API_KEY_SCOPES, type ApiKeyScope } from '../../../src/http/auth/api-key-scopes.js';
import { UnitOfWork } from '../../../src/database/unit-of-work.js';
import { SYSTEM } from '../../../src/modules/core/audit/audit.service.js';
import { SecurityHoldsService } from '../../../src/modules/identity/users/account-restrictions.service.js';
import { HOLD_REASONS } from '../../../src/modules/identity/users/users.types.js';
import { WithdrawalPausesService } from '../../../src/modules/funds/withdrawals/withdrawal-pauses.service.js';
import { ADMIN_USERS } from '../../fixtures/admin-users.js';
import { API_KEYS, givenKey } from '../../fixtures/api-keys.js';
import type { TestUser } from '../../fixtures/given.js';
import {
  defaultSubject,
  endHold,
  signInAsStranger,
  startHold,
  subjectsOf,
} from '../../fixtures/identities.js';
import { INVESTMENTS } from '../../fixtures/investments.js';
import { WEBHOOKS } from '../../fixtures/webhook-scenario.js';
import { newWallet, WalletSteps } from '../../fixtures/wallets.js';
import {
  DESTINATION,
  USER_WITHDRAWALS,
  withdrawalSteps,
  type WithdrawalSteps,
} from '../../fixtures/withdrawals.js';
import { Browser } from '../../harness/browser.js';
import { eventually } from '../../harness/eventually.js';
import type { Reply } from '../../harness/http-client.js';
import { LOCK_WAITS } from '../../harness/lock-waits.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';

const ADDRESSES = '/api/user/addresses';
const WITHDRAWAL = { amount: '100.00', currency: 'USDC', toAddress: DESTINATION };
const newEntry = () => ({ label: 'Savings', network: 'ERC20', address: newWallet().address });

describe('A security hold', () => {
  let platform: TestPlatform;
  let steps: WithdrawalSteps;
  let wallets: WalletSteps;

  beforeAll(async () => {
    platform = await startPlatform({ settings: { FOUR_EYES: 'off' } });
    steps = await withdrawalSteps(platform);
    wallets = new WalletSteps(platform);
  });
  afterAll(() => platform?.stop());

  const inADay = () => new Date(platform.clock.now().getTime() + 24 * HOUR_MS);
  const heldUser = async (balance = '1000.00'): Promise<TestUser> => {
    const user = await platform.given.user().withBalance(balance);
    await startHold(platform, user.id);
    return user;
  };
  const requestKey = (user: TestUser, scopes: readonly ApiKeyScope[]) =>
    platform.as(user).post(API_KEYS, { name: 'Bot', scopes });
  const expectHold = (reply: Reply, until = inADay(), reason = 'email-changed') => {
    expect([reply.status, reply.code]).toEqual([422, 'SECURITY_HOLD']);
    expect(reply.body.error.details).toEqual({ until: until.toISOString(), reason });
  };

  describe('refuses withdrawals', () => {
    it('of bearer, cookie and wallet sessions and of API keys, whose money stays available [SEC-306]', async () => {
      const { user: ann, wallet } = await wallets.userWithWallet();
      await platform.given.deposit(ann.id, '1000.00');
      const entry = { ...newEntry(), address: DESTINATION };
      expect((await platform.as(ann).post(ADDRESSES, entry)).status).toBe(201);
      const key = await givenKey(platform, ann);
      const browser = new Browser(platform);
      await browser.signIn(ann.email);
      await startHold(platform, ann.id);
      const { data } = await wallets.login(await wallets.signChallenge(wallet));
      for (const caller of [ann, key, { token: data.token }])
        expectHold(await platform.as(caller).post(USER_WITHDRAWALS, WITHDRAWAL));
      expectHold(await browser.callAsPage('POST', USER_WITHDRAWALS, WITHDRAWAL));
      expect(await steps.funds(ann)).toMatchObject({ available: '1000.00', reserved: '0.00' });
      expect((await platform.as(ann).get(USER_WITHDRAWALS)).data.requests).toEqual([]);
    });

    it('of the session that existed before another subject signed in, and of that subject', async () => {
      const ann = await platform.given.user().withBalance('1000.00');
      const stranger = await signInAsStranger(platform, ann);
      for (const caller of [ann, stranger])
        expectHold(await steps.request(caller, '100.00'), inADay(), 'new-identity');
    });

    it('also during a pause and if they break a business rule, but reports an invalid body first', async () => {
      const ann = await heldUser('50.00');
      const asked: [object, string][] = [
        [{ amount: '5.00' }, 'SECURITY_HOLD'], // below the minimum
        [{ amount: '60000.00' }, 'SECURITY_HOLD'], // above the balance and the limit
        [{ amount: '0.00' }, 'INVALID_AMOUNT'],
        [{ amount: 'ten' }, 'VALIDATION_ERROR'],
        [{ toAddress: '0x12' }, 'VALIDATION_ERROR'],
      ];
      const pauses = platform.app.get(WithdrawalPausesService);
      const unitOfWork = platform.app.get(UnitOfWork);
      await unitOfWork.runInTransaction((tx) => pauses.pauseWithdrawals(tx, SYSTEM, 'Test'));
      try {
        for (const [change, code] of asked)
          expect((await platform.as(ann).post(USER_WITHDRAWALS, { ...WITHDRAWAL, ...change })).code).toBe(
            code,
          );
        await endHold(platform, ann.id);
        expect((await steps.request(ann, '5.00')).code).toBe('WITHDRAWALS_PAUSED');
      } finally {
        await unitOfWork.runInTransaction((tx) => pauses.resumeWithdrawals(tx, SYSTEM, 'Test', []));
      }
    });

    it('that wait for the account while the hold starts [SEC-307]', async () => {
      const ann = await platform.given.user().withBalance('1000.00');
      let replies: Promise<Reply>[] = [];
      await platform.app.get(UnitOfWork).runInTransaction(async (tx) => {
        await platform.app.get(SecurityHoldsService).startHold(tx, ann.id, 'email-changed');
        replies = [
          steps.request(ann, '100.00'),
          platform.as(ann).post(ADDRESSES, newEntry()),
          requestKey(ann, ['withdrawals:write']),
        ];
        await eventually(async () => expect(await platform.dataSource.query(LOCK_WAITS)).toHaveLength(3));
      });
      for (const reply of await Promise.all(replies)) expectHold(reply);
    });

    it('but answers the repetition of an earlier request with its stored response', async () => {
      const ann = await platform.given.user().withBalance('1000.00');
      const request = () =>
        platform
          .as(ann)
          .post(USER_WITHDRAWALS, WITHDRAWAL, { headers: { 'idempotency-key': 'before-hold' } });
      const first = await request();
      await startHold(platform, ann.id);
      expect(await request()).toMatchObject({ status: 201, data: first.data });
    });
  });

  describe('refuses other ways out of the account', () => {
    it('additions to the address book, also of addresses that it has already [SEC-308]', async () => {
      const ann = await platform.given.user();
      const entry = newEntry();
      expect((await platform.as(ann).post(ADDRESSES, entry)).status).toBe(201);
      await startHold(platform, ann.id);
      for (const asked of [entry, newEntry()]) expectHold(await platform.as(ann).post(ADDRESSES, asked));
      expect((await platform.as(ann).get(ADDRESSES)).data).toHaveLength(1);
    });

    it.each(API_KEY_SCOPES.filter((scope) => scope.endsWith(':write')))(
      'new API keys with the scope %s',
      async (scope) => {
        const ann = await heldUser();
        expectHold(await requestKey(ann, ['balance:read', scope]));
        expect((await platform.as(ann).get(API_KEYS)).data).toEqual([]);
      },
    );

    it('links to wallets, which could sign in after the hold', async () => {
      const { user: ann, wallet } = await wallets.userWithWallet();
      await startHold(platform, ann.id);
      for (const asked of [wallet, newWallet()])
        expectHold(await wallets.connect(ann, await wallets.signChallenge(asked)));
      expectHold(await wallets.register(ann.email, await wallets.signChallenge(newWallet())));
      expect((await platform.as(ann).get('/api/user/wallets')).data).toHaveLength(1);
    });
  });

  it('leaves reading, investing, deposits, cancelling, rejecting and removing possible', async () => {
    const ann = await platform.given.user().withBalance('1000.00');
    const { id } = (await steps.request(ann, '100.00')).data;
    const toReject = (await steps.request(ann, '50.00')).data.id;
    const entry = (await platform.as(ann).post(ADDRESSES, newEntry())).data;
    await startHold(platform, ann.id);
    const as = platform.as(ann);
    const investment = { strategyId: 'balanced-10', amount: '500.00' };
    const webhook = { url: 'http://127.0.0.1:9/', events: ['deposit.seen'] };
    const readScopes = API_KEY_SCOPES.filter((scope) => scope.endsWith(':read'));
    const calls: [what: string, call: () => Promise<Reply>, status: number][] = [
      ['balance', () => as.get('/api/user/balance'), 200],
      ['deposit address', () => as.get('/api/user/deposits/address?network=ERC20&currency=USDC'), 200],
      ['investment', () => as.post(INVESTMENTS, investment), 201],
      ['key that reads', () => requestKey(ann, readScopes), 201],
      ['rename address', () => as.put(`${ADDRESSES}/${entry.id}`, { label: 'Old' }), 200],
      ['remove address', () => as.delete(`${ADDRESSES}/${entry.id}`), 200],
      ['webhook', () => as.post(WEBHOOKS, webhook), 201],
      ['cancel', () => steps.cancel(id, ann), 200],
      ['reject', () => steps.reject(toReject), 200],
      ['end other sessions', () => as.delete('/api/user/sessions'), 200],
    ];
    for (const [name, call, status] of calls) expect([name, (await call()).status]).toEqual([name, status]);
    await platform.given.deposit(ann.id, '10.00');
    expect(await steps.funds(ann)).toMatchObject({ available: '510.00', reserved: '0.00' }); // 1000 − 500 + 10
  });

  it('ends at its time, and not a moment earlier [SEC-309]', async () => {
    const ann = await heldUser();
    const until = inADay();
    platform.clock.advance(24 * HOUR_MS - 1);
    expectHold(await steps.request(ann, '100.00'), until);
    platform.clock.advance(1);
    expect((await steps.request(ann, '100.00')).status).toBe(201);
    expect((await platform.as(ann).post(ADDRESSES, newEntry())).status).toBe(201);
    expect((await requestKey(ann, ['withdrawals:write'])).status).toBe(201);
    expect((await platform.as(ann).get('/api/user/limits')).data.hold).toBeNull();
  });

  it('starts when an admin changes the e-mail address; the first sign-in with the new address starts no further one', async () => {
    const ann = await platform.given.user().withBalance('1000.00');
    const email = `new-${ann.email}`;
    const path = `${ADMIN_USERS}/${ann.id}`;
    expect((await platform.as(steps.admin).put(path, { email, reason: 'Asked in person' })).status).toBe(200);
    const until = inADay();
    platform.clock.advance(HOUR_MS);
    const renamed = await platform.given.user(email);
    expect(renamed.id).toBe(ann.id);
    expectHold(await steps.request(renamed, '100.00'), until);
    expect(await subjectsOf(platform, ann)).toEqual([await defaultSubject(platform, email)]);
    platform.clock.advance(23 * HOUR_MS);
    expect((await steps.request(renamed, '100.00')).status).toBe(201);
  });

  it.each(HOLD_REASONS)('can be started for the reason %s, and ended', async (reason) => {
    const ann = await platform.given.user().withBalance('1000.00');
    const hold = { until: inADay(), reason };
    expect(await startHold(platform, ann.id, reason)).toEqual(hold);
    const holds = platform.app.get(SecurityHoldsService);
    expect(await holds.findHold(ann.id)).toEqual(hold);
    expect(await endHold(platform, ann.id)).toEqual(hold);
    expect(await holds.findHold(ann.id)).toBeNull();
    expect(await endHold(platform, ann.id)).toBeNull();
    expect((await steps.request(ann, '100.00')).status).toBe(201);
  });

  it('is extended by a later event, and never shortened', async () => {
    const ann = await heldUser();
    platform.clock.advance(HOUR_MS);
    const extended = { until: inADay(), reason: 'new-identity' };
    expect(await startHold(platform, ann.id, 'new-identity')).toEqual(extended);
    platform.clock.advance(-HOUR_MS); // as after a shorter SECURITY_HOLD_HOURS
    expect(await startHold(platform, ann.id, 'email-changed')).toEqual(extended);
    platform.clock.advance(HOUR_MS);
  });

  it('is shown in the limits, by the quick action of the dashboard, and to admins with the user and with pending withdrawals', async () => {
    const ann = await platform.given.user().withBalance('1000.00');
    const { id } = (await steps.request(ann, '100.00')).data;
    const shown = async () => {
      const detail = (await platform.as(steps.admin).get(`${ADMIN_USERS}/${ann.id}`)).data;
      const { quickActions } = (await platform.as(ann).get('/api/user/dashboard')).data;
      return {
        limits: (await platform.as(ann).get('/api/user/limits')).data.hold,
        admin: detail.hold,
        pendingWithdrawal: (await steps.detail(id)).hold,
        canWithdraw: quickActions.find(({ action }: { action: string }) => action === 'withdraw').enabled,
      };
    };
    expect(await shown()).toEqual({ limits: null, admin: null, pendingWithdrawal: null, canWithdraw: true });
    await startHold(platform, ann.id);
    const hold = { until: inADay().toISOString(), reason: 'email-changed' };
    expect(await shown()).toEqual({ limits: hold, admin: hold, pendingWithdrawal: hold, canWithdraw: false });
    await endHold(platform, ann.id);
    expect(await shown()).toEqual({ limits: null, admin: null, pendingWithdrawal: null, canWithdraw: true });
  });

  it('has only the reasons that the database accepts, and always both an end and a reason', async () => {
    const [{ definition }] = await platform.dataSource.query<[{ definition: string }]>(
      `select pg_get_constraintdef(oid) as definition from pg_constraint where conname = 'platform_user_hold_reason'`,
    );
    expect([...definition.matchAll(/'([a-z-]+)'/g)].map(([, reason]) => reason)).toEqual([...HOLD_REASONS]);
    const ann = await platform.given.user();
    await expect(
      platform.dataSource.query('update platform_user set hold_until = now() where id = $1', [ann.id]),
    ).rejects.toThrow('platform_user_hold');
  });
});
