import { randomUUID } from 'node:crypto';
import { addDays } from '../../../src/common/days.js';
import { DAY_MS } from '../../../src/common/durations.js';
import { YieldReportsService } from '../../../src/modules/investing/strategies/yield-reports.service.js';
import { NavsService } from '../../../src/modules/investing/strategies/navs.service.js';
import { givenKey } from '../../fixtures/api-keys.js';
import { DepositScenario } from '../../fixtures/deposit-scenario.js';
import { signInWith, startHold } from '../../fixtures/identities.js';
import { depositBody, processDueCallbacks } from '../../fixtures/provider-callbacks.js';
import { SANDBOX_SETTINGS } from '../../../src/sandbox/sandbox-settings.js';
import { changeSealed } from '../../fixtures/sealed-rows.js';
import { tableOwner, type TableOwner } from '../../fixtures/table-owner.js';
import { violated } from '../../fixtures/violations.js';
import { DESTINATION, USER_WITHDRAWALS, WithdrawalSteps } from '../../fixtures/withdrawals.js';

const THIEF = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t';
const STRATEGY = 'balanced-10';

describe('Somebody who can write one table of records', () => {
  let scenario: DepositScenario;
  let owner: TableOwner;
  beforeAll(async () => {
    scenario = await DepositScenario.start();
    owner = await tableOwner(scenario.platform);
  });
  afterAll(() => scenario?.stop());

  /** Names of the invariants that a check reports as violated. */
  const violatedNames = async () => violated(scenario.platform, await scenario.platform.given.admin());
  /** Inserts a deposit address with a made-up seal. */
  const insertAddress = (userId: string, address: string) =>
    owner.sql(
      `insert into deposit_address (id, user_id, currency, network, address, provider_address_id, created_at, seal)
       values (gen_random_uuid(), $1, 'USDT', 'TRC20', $2, '1', now(), sha256('a'))`,
      userId,
      address,
    );
  const PATH = '/api/user/deposits/address?currency=USDT&network=TRC20';

  it('cannot have an address of their own shown to a user: the user gets 503 CRYPTO2B_API_ERROR, and an alert is raised [SEC-484]', async () => {
    const victim = await scenario.platform.given.user();
    await insertAddress(victim.id, THIEF);
    const reply = await scenario.platform.as(victim).get(PATH);
    expect([reply.status, reply.code]).toEqual([503, 'CRYPTO2B_API_ERROR']);
    expect(await owner.alertsAbout('deposit_address')).toHaveLength(1);
  });

  it('is credited no payment to an address that they have inserted for themselves', async () => {
    const { platform, callbacks } = scenario;
    const thief = await platform.given.user();
    const address = `T${'M'.repeat(33)}`;
    await insertAddress(thief.id, address);
    await callbacks.send('deposit', depositBody({ address, amount: '600' }));
    await processDueCallbacks(platform);
    expect((await platform.as(thief).get('/api/user/deposits')).data).toEqual([]);
    expect(await scenario.availableBalance(thief)).toBe('0.00');
  });

  it('cannot take a deposit address from its user by damaging its seal: the provider gives the same address, which is sealed again', async () => {
    const { user, address } = await scenario.userWithAddress('USDT', 'TRC20');
    await owner.sql('update deposit_address set seal = null where user_id = $1', user.id);
    expect((await scenario.platform.as(user).get(PATH)).data.address).toBe(address);
    await scenario.callbacks.send('deposit', depositBody({ address, amount: '600' }));
    await processDueCallbacks(scenario.platform);
    expect(await scenario.availableBalance(user)).toBe('600.00');
  });

  it('cannot make an address of an address book usable, nor restore one that was removed [SEC-488]', async () => {
    const { platform } = scenario;
    const user = await platform.given.user().withBalance('1000.00');
    const key = await givenKey(platform, user);
    const withdraw = async () =>
      (
        await platform
          .as(key)
          .post(USER_WITHDRAWALS, { amount: '10.00', currency: 'USDC', toAddress: DESTINATION })
      ).code;
    await owner.sql(
      `insert into withdrawal_address (id, user_id, label, address, network, created_at, usable_from, seal)
       values (gen_random_uuid(), $1, 'Own', $2, 'ERC20', '2020-01-01', '2020-01-01', sha256('a'))`,
      user.id,
      DESTINATION,
    );
    expect(await withdraw()).toBe('ADDRESS_NOT_ALLOWED');
    await owner.sql('delete from withdrawal_address where user_id = $1', user.id);
    const entry = { label: 'Own', address: DESTINATION, network: 'ERC20' };
    const { data } = await platform.as(user).post('/api/user/addresses', entry);
    expect(await withdraw()).toBeUndefined();
    const copy = await owner.copyRows('withdrawal_address', 'id = $1', data.id);
    expect((await platform.as(user).delete(`/api/user/addresses/${data.id}`)).status).toBe(200);
    await owner.restoreRows('withdrawal_address', 'id', copy);
    expect(await withdraw()).toBe('ADDRESS_NOT_ALLOWED');
    expect(await owner.alertsAbout('withdrawal_address')).toHaveLength(1);
  });

  it('cannot set a rate by an inserted yield report, and no admin can accept one [SEC-485]', async () => {
    const { platform } = scenario;
    const day = addDays(platform.clock.today(), 1); // the first day whose rate is open
    const insertReport = (state: string) =>
      owner.sql<{ id: string }[]>(
        `insert into yield_report (event_id, strategy_id, day, apy, used_apy, realised_amount, state, reported_at, waiting_for, seal)
         values ($1, $2, $3, 1000, 10, 0, $4, now(), case $4 when 'waiting' then array['rate'] else '{}' end, sha256('a')) returning id`,
        randomUUID(),
        STRATEGY,
        day,
        state,
      );
    await insertReport('rate');
    await insertReport('fold');
    const [waiting] = await insertReport('waiting');
    const admin = platform.as(await platform.given.admin());
    const path = `/api/admin/yield-reports/${waiting?.id}/accept`;
    expect((await admin.post(path)).code).toBe('YIELD_REPORT_NOT_FOUND');
    // A report that the service records for the same day starts from the rate of the strategy, which is 10.
    await platform.app
      .get(YieldReportsService)
      .record({ eventId: 'real', strategyId: STRATEGY, day, apy: '11', realisedAmount: '0' });
    const [real] = await owner.sql(`select used_apy::text from yield_report where event_id = 'real'`);
    expect(real).toEqual({ used_apy: '10' });
    platform.clock.advance(DAY_MS);
    await platform.app.get(NavsService).publishMissingNavs();
    expect(
      await owner.sql(
        'select apy::text, correction::text, source from strategy_nav where strategy_id = $1 order by day desc limit 1',
        STRATEGY,
      ),
    ).toEqual([{ apy: '11', correction: '1', source: 'reported' }]);
    expect(await owner.alertsAbout('yield_report')).toHaveLength(1);
    expect(await violatedNames()).toContain('yield-reports');
    // Without the forged reports no invariant is violated.
    await owner.sql('alter table yield_report disable trigger user');
    await owner.sql(`delete from yield_report where event_id <> 'real'`);
    await owner.sql('alter table yield_report enable trigger user');
    expect(await violatedNames()).toEqual([]);
  });

  it('cannot end a security hold [SEC-486]', async () => {
    const { platform } = scenario;
    const steps = new WithdrawalSteps(platform, await platform.given.admin());
    const user = await platform.given.user().withBalance('1000.00');
    await startHold(platform, user.id);
    await owner.sql('update platform_user set hold_until = null, hold_reason = null where id = $1', user.id);
    const caller = platform.as(user);
    const address = { label: 'Mine', network: 'ERC20', address: DESTINATION };
    const replies = [
      await steps.request(user, '100.00'),
      await caller.post('/api/user/addresses', address),
      await caller.post('/api/user/api-keys', { name: 'Key', scopes: ['withdrawals:write'] }),
    ];
    for (const { code } of replies) expect(code).toBe('SECURITY_HOLD');
    expect((await caller.get('/api/user/limits')).data.hold).not.toBeNull();
    expect(await violatedNames()).toContain('users');
    // The row is put right. Then a forged record says that the account has no hold.
    await owner.sql(
      `update platform_user set hold_until = recorded.hold_until, hold_reason = recorded.hold_reason
         from user_account_change as recorded where user_id = platform_user.id and platform_user.id = $1 and recorded.hold_until is not null`,
      user.id,
    );
    await owner.sql(
      'insert into user_account_change (user_id, email, changed_at) select id, email, now() from platform_user where id = $1',
      user.id,
    );
    expect((await steps.request(user, '100.00')).code).toBe('SECURITY_HOLD');
  });

  it('cannot sign in to an account by giving it another e-mail address: 403 FORBIDDEN [SEC-487]', async () => {
    const { platform } = scenario;
    const user = await platform.given.user();
    const email = `thief-${randomUUID()}@example.org`;
    await owner.sql('update platform_user set email = $2 where id = $1', user.id, email);
    const { status, code } = await signInWith(platform, { email });
    expect([status, code]).toEqual([403, 'FORBIDDEN']);
    expect(await owner.alertsAbout('platform_user')).toHaveLength(1);
    expect(await violatedNames()).toContain('users');
  });
});

describe('A record that was sealed under the former key', () => {
  it('stays valid while TOKEN_HASH_KEY_ALSO is that key, and the job sealed-records seals it under the present one [SEC-489]', async () => {
    const { TOKEN_HASH_KEY: former } = SANDBOX_SETTINGS;
    const settings = { TOKEN_HASH_KEY: 'the-present-key-of-this-test-0000000', TOKEN_HASH_KEY_ALSO: former };
    const scenario = await DepositScenario.start(settings);
    try {
      const { platform } = scenario;
      const { user, address } = await scenario.userWithAddress('USDT', 'TRC20');
      const report = { eventId: 'real', strategyId: STRATEGY, day: platform.clock.today(), apy: '11.50' };
      await platform.app.get(YieldReportsService).record({ ...report, realisedAmount: '0.10' });
      const seals = () =>
        platform.dataSource.query('select seal from deposit_address union all select seal from yield_report');
      const present = await seals();
      // Seals both rows again, unchanged, with the key of the sandbox, which is the former one here.
      await changeSealed(platform.dataSource, 'deposit_address', ['userId', user.id], () => ({}));
      await changeSealed(platform.dataSource, 'yield_report', ['eventId', 'real'], () => ({}));
      expect(await seals()).not.toEqual(present);
      expect(await scenario.addressOf(user, 'USDT', 'TRC20')).toBe(address);
      await platform.runJob('sealed-records');
      expect(await seals()).toEqual(present);
    } finally {
      await scenario.stop();
    }
  });
});
