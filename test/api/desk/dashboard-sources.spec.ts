import pg from 'pg';
import { QueryFailedError } from 'typeorm';
import { DAY_MS } from '../../../src/common/durations.js';
import { currentTrace } from '../../../src/observability/tracing/trace.js';
import { PgNotifications } from '../../../src/database/pg-notifications.js';
import { UnitOfWork } from '../../../src/database/unit-of-work.js';
import { ChainClient } from '../../../src/modules/providers/chain/chain.client.js';
import { InvestmentsService } from '../../../src/modules/investing/investments/investments.service.js';
import { DailyNotificationsService } from '../../../src/modules/portfolio/notifications/notification-writes.service.js';
import { WithdrawalsService } from '../../../src/modules/funds/withdrawals/withdrawals.service.js';
import { WithdrawalPausesService } from '../../../src/modules/funds/withdrawals/withdrawal-pauses.service.js';
import { eventually } from '../../harness/eventually.js';
import { withCurrentNotifications } from '../../harness/current-sessions.js';
import type { TestUser } from '../../fixtures/given.js';
import { DomainEventFixtures } from '../../fixtures/domain-event-fixtures.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import { queriesDuring } from '../../harness/queries.js';
import { freezeTime, skipTime } from '../../harness/skip-time.js';
import { DESTINATION } from '../../fixtures/withdrawals.js';

const PATH = '/api/user/dashboard';

/** After this time the cached condition of the chain has expired: a request waits for the node. */
const EXPIRED_MS = 2001;
/** After this time a request queries the node, and answers from the cache without waiting. */
const REFRESH_MS = 1001;

describe('GET /api/user/dashboard', () => {
  let platform: TestPlatform;
  let events: DomainEventFixtures;

  beforeAll(async () => {
    platform = await startPlatform({
      settings: { WITHDRAWAL_DAILY_LIMIT: '500.00', DATABASE_LOCK_MS: '300' },
    });
    events = new DomainEventFixtures(platform.app);
  });
  afterAll(() => platform?.stop());

  const dashboard = (user: TestUser, query = '') => platform.as(user).get(`${PATH}?${query}`);
  const invest = (user: TestUser, strategyId: string, amount: string) =>
    platform.app.get(InvestmentsService).create(user.id, { strategyId, amount });
  const withdraw = (user: TestUser, amount: string) =>
    platform.as(user).post('/api/user/withdrawals', { amount, currency: 'USDC', toAddress: DESTINATION });

  describe('has quick actions that', () => {
    const enabled = async (user: TestUser) =>
      Object.fromEntries(
        (await dashboard(user)).data.quickActions.map((action: { action: string; enabled: boolean }) => [
          action.action,
          action.enabled,
        ]),
      );

    it.each([
      ['9.999999', { deposit: true, invest: false, withdraw: false }],
      ['10.00', { deposit: true, invest: true, withdraw: true }],
    ])('are enabled from their minimum on, for a user with %s available', async (amount, expected) => {
      const user = await platform.given.user().withBalance(amount);
      expect(await enabled(user)).toEqual(expected);
      expect((await withdraw(user, '10.00')).status).toBe(expected.withdraw ? 201 : 422);
    });

    it('disable withdrawals when less than the minimum is left of the daily limit', async () => {
      const user = await platform.given.user().withBalance('2000.00');
      await withdraw(user, '490.00'); // of the daily limit of 500.00
      expect(await enabled(user)).toMatchObject({ withdraw: true });
      await withdraw(user, '10.00');
      expect(await enabled(user)).toMatchObject({ invest: true, withdraw: false });
      expect((await withdraw(user, '10.00')).code).toBe('WITHDRAWAL_LIMIT_EXCEEDED');
      platform.clock.advance(DAY_MS);
      expect(await enabled(user)).toMatchObject({ withdraw: true });
    });

    it('disable withdrawals while they are paused', async () => {
      const user = await platform.given.user().withBalance('100.00');
      const [unitOfWork, pauses] = [platform.app.get(UnitOfWork), platform.app.get(WithdrawalPausesService)];
      const admin = { email: 'admin@example.com' };
      await unitOfWork.runInTransaction((tx) => pauses.pauseWithdrawals(tx, admin, 'Under review'));
      expect(await enabled(user)).toEqual({ deposit: true, invest: true, withdraw: false });
      expect((await withdraw(user, '10.00')).code).toBe('WITHDRAWALS_PAUSED');
      await unitOfWork.runInTransaction((tx) => pauses.resumeWithdrawals(tx, admin, 'Looked into', []));
      expect(await enabled(user)).toMatchObject({ withdraw: true });
    });

    it('disable deposits while the deposit provider answers with errors', async () => {
      const user = await platform.given.user();
      platform.outside.providers.faults.set('deposit', 'error');
      await platform.runJob('deposit-poll');
      expect(await enabled(user)).toMatchObject({ deposit: false });
      platform.outside.providers.faults.clear('deposit');
      await platform.runJob('deposit-poll');
      expect(await enabled(user)).toMatchObject({ deposit: true });
    });

    it('disable investments while all strategies are suspended, and show if an approval is required', async () => {
      const settings = {
        SUSPENDED_STRATEGIES: 'conservative-5,balanced-10,aggressive-20',
        INVESTMENT_APPROVAL_THRESHOLD: '100.00',
      };
      const suspended = await startPlatform({ settings });
      const [poor, rich] = [
        await suspended.given.user().withBalance('99.999999'),
        await suspended.given.user().withBalance('100.00'),
      ];
      const investAction = async (user: TestUser) =>
        (await suspended.as(user).get(PATH)).data.quickActions[1];
      expect(await investAction(poor)).toMatchObject({ enabled: false, requiresApproval: false });
      expect(await investAction(rich)).toMatchObject({ enabled: false, requiresApproval: true });
      await suspended.stop();
    });
  });

  it('reports the blockchain as unhealthy when the node does not answer, with status 200', async () => {
    const user = await platform.given.user();
    const never = new Promise<never>(() => undefined);
    const chain = jest.spyOn(platform.app.get(ChainClient), 'state').mockReturnValue(never);
    skipTime(EXPIRED_MS);
    const { status, data } = await dashboard(user);
    expect([status, data.systemStatus.blockchain]).toEqual([200, 'unhealthy']);
    expect(chain).toHaveBeenCalledTimes(1);
    chain.mockRestore();
    skipTime(EXPIRED_MS);
    await eventually(async () =>
      expect((await dashboard(user)).data.systemStatus.blockchain).toBe('healthy'),
    );
  });

  it('does not wait for the node while its last answer is younger than two seconds', async () => {
    const user = await platform.given.user();
    const time = freezeTime();
    time.advance(EXPIRED_MS);
    expect((await dashboard(user)).data.systemStatus.blockchain).toBe('healthy');
    const never = new Promise<never>(() => undefined);
    const chain = jest.spyOn(platform.app.get(ChainClient), 'state').mockReturnValue(never);
    time.advance(REFRESH_MS);
    for (let request = 0; request < 2; request++)
      expect((await dashboard(user)).data.systemStatus.blockchain).toBe('healthy');
    time.advance(REFRESH_MS);
    expect((await dashboard(user)).data.systemStatus.blockchain).toBe('unhealthy');
    expect(chain).toHaveBeenCalledTimes(1);
    chain.mockRestore();
    time.advance(EXPIRED_MS);
    time.resume();
  });

  it.each([
    [{ isSyncing: true }, 'degraded'],
    [{ chainId: 1 }, 'unhealthy'],
  ] as const)('for a node that answers %j reports the blockchain as %s', async (changes, status) => {
    const chain = platform.app.get(ChainClient);
    const user = await platform.given.user();
    const state = await chain.state();
    const spy = jest.spyOn(chain, 'state').mockResolvedValue({ ...state, ...changes });
    skipTime(EXPIRED_MS);
    expect((await dashboard(user)).data.systemStatus.blockchain).toBe(status);
    spy.mockRestore();
    skipTime(EXPIRED_MS);
  });

  describe('while tables are locked', () => {
    let holder: pg.Client;
    let user: TestUser;
    let isCurrent: jest.SpyInstance; // keeps the session cache in use if the machine pauses

    beforeAll(async () => {
      user = await platform.given.user().withBalance('100.00');
      await invest(user, 'balanced-10', '50.00');
      isCurrent = jest.spyOn(platform.app.get(PgNotifications), 'isCurrent', 'get').mockReturnValue(true);
      await dashboard(user); // caches the session
      holder = new pg.Client(platform.env.DATABASE_URL);
      await holder.connect();
    });
    afterEach(() => holder.query('rollback'));
    afterAll(async () => {
      isCurrent.mockRestore();
      await holder.end();
    });

    /** Locks the tables until `rollback`. A job may cause a deadlock with this statement, which is then repeated. */
    const lockTables = async (...tables: string[]): Promise<void> => {
      await holder.query('begin');
      try {
        await holder.query(`lock table ${tables.join(', ')} in access exclusive mode`);
      } catch (error) {
        await holder.query('rollback');
        if (!(error instanceof pg.DatabaseError) || error.code !== '40P01') throw error;
        await lockTables(...tables);
      }
    };

    it.each([
      [['notification'], ['recentNotifications']],
      [['user_transaction'], ['recentTransactions']],
      [['platform_user'], ['user', 'quickActions']], // the quick actions depend on the user's hold
      [['withdrawal'], ['quickActions']],
      [['ledger_entry'], ['balance', 'portfolio', 'quickActions']],
      [['investment'], ['balance', 'investments', 'portfolio', 'quickActions']],
      [
        ['notification', 'user_transaction'],
        ['recentTransactions', 'recentNotifications'],
      ],
    ])('answers PARTIAL_DATA_AVAILABLE without the sections that need %j: %j', async (tables, missing) => {
      const { data: complete } = await dashboard(user);
      await lockTables(...tables);
      const { status, code, body } = await dashboard(user);
      expect([status, code]).toEqual([503, 'PARTIAL_DATA_AVAILABLE']);
      const { unavailable, sections } = body.error.details;
      expect(unavailable).toEqual(missing);
      expect(sections).toEqual({
        ...Object.fromEntries(Object.entries(complete).filter(([name]) => !missing.includes(name))),
        systemStatus: {
          ...complete.systemStatus,
          blockchain: expect.any(String),
          database: 'degraded',
          api: 'degraded',
        },
      });
    });

    it('lists charts as unavailable when they were requested', async () => {
      await lockTables('ledger_entry');
      const { body } = await dashboard(user, 'includeCharts=true');
      expect(body.error.details.unavailable).toContain('charts');
    });

    it('answers SERVICE_UNAVAILABLE when no section can be read', async () => {
      await lockTables(
        'platform_user',
        'ledger_entry',
        'investment',
        'user_transaction',
        'notification',
        'withdrawal',
      );
      expect(await dashboard(user)).toMatchObject({ status: 503, code: 'SERVICE_UNAVAILABLE' });
    });
  });

  it('sends no more statements for a user with much data than for a new user', async () => {
    const [empty, busy] = [await platform.given.user(), await platform.given.user().withBalance('10000.00')];
    for (let i = 0; i < 12; i++) await invest(busy, 'balanced-10', '20.00');
    for (let i = 0; i < 4; i++) await events.withdraw(busy.id, '10.00');
    platform.clock.advance(3 * DAY_MS);
    const query = 'includeCharts=true&period=90&recentTransactions=50&recentNotifications=50';
    const countStatements = async (user: TestUser) =>
      (await queriesDuring(() => dashboard(user, query))).length;
    await withCurrentNotifications(platform, async () => {
      for (const user of [empty, busy]) await dashboard(user, query); // caches sessions and NAVs
      // The snapshot takes 2 statements, the history of the balance 2, and each of the eight other sources 1. A user
      // without ledger entries takes one more, for the creation time of the user.
      expect(await countStatements(busy)).toBe(12);
      expect(await countStatements(empty)).toBe(13);
    });
  });

  it('leaves out the notifications if those that are due cannot be written', async () => {
    const user = await platform.given.user();
    const daily = platform.app.get(DailyNotificationsService);
    const write = jest.spyOn(daily, 'writeDueNotifications').mockRejectedValue(new Error('no answer'));
    const { code, body } = await dashboard(user);
    write.mockRestore();
    expect([code, body.error.details.unavailable]).toEqual([
      'PARTIAL_DATA_AVAILABLE',
      ['recentNotifications'],
    ]);
  });

  it('uses one connection, and four when a source fails', async () => {
    const user = await platform.given.user().withBalance('100.00');
    await dashboard(user);
    const pool = (platform.dataSource.driver as unknown as { master: pg.Pool }).master;
    let inUse = 0;
    let mostInUse = 0;
    const connect = pool.connect.bind(pool);
    type Callback = Parameters<typeof connect>[0];
    const connectAndCount = (callback: Callback) => {
      if (!currentTrace()) return connect(callback); // a background job and not the request
      connect((error, client, release) => {
        if (client) inUse += 1;
        mostInUse = Math.max(mostInUse, inUse);
        callback(error, client, (reason) => {
          inUse -= 1;
          release(reason);
        });
      });
    };
    const spy = jest.spyOn(pool, 'connect').mockImplementation(connectAndCount as never);
    expect((await dashboard(user, 'includeCharts=true')).status).toBe(200);
    expect(mostInUse).toBe(1);
    const failure = new QueryFailedError('', [], new Error('no answer'));
    const allowance = jest
      .spyOn(platform.app.get(WithdrawalsService), 'getAllowance')
      .mockRejectedValue(failure);
    expect((await dashboard(user, 'includeCharts=true')).code).toBe('PARTIAL_DATA_AVAILABLE');
    spy.mockRestore();
    allowance.mockRestore();
    expect(mostInUse).toBe(4); // after the failure the sources are read again, four at a time, each on a connection of its own
  });
});
