import { HOUR_MS, MINUTE_MS } from '../../../src/common/durations.js';
import { startReplica } from '../../harness/replica.js';
import { skipTime } from '../../harness/skip-time.js';
import { DepositScenario } from '../../fixtures/deposit-scenario.js';

const PATH = '/api/deposits/status';
const NETWORKS = '/api/blockchain/networks';

describe('Public status', () => {
  let scenario: DepositScenario;

  beforeAll(async () => {
    scenario = await DepositScenario.start({ CONFIRMATIONS_BEP20: '7', MINIMUM_DEPOSIT: '250.5' });
    await scenario.pollProvider();
  });
  afterEach(() => scenario.endFaults());
  afterAll(() => scenario?.stop());

  const status = async () => (await scenario.platform.as(null).get(PATH)).data;
  const statuses = async () =>
    Object.fromEntries(
      (await status()).networks.map(({ network, status: networkStatus }: Record<string, string>) => [
        network,
        networkStatus,
      ]),
    );

  describe('GET /api/deposits/status', () => {
    it('is unknown until the first poll', async () => {
      const replicaUrl = await startReplica(scenario.platform, {});
      const { data } = await scenario.platform.as(null, replicaUrl).get(PATH);
      expect(data.accepting).toBe(true);
      expect(data.networks).toMatchObject(Array(3).fill({ status: 'unknown' }));
      const network = await scenario.platform.as(null, replicaUrl).get(`${NETWORKS}/TRC20/status`);
      expect(network.data.status).toBe('unknown');
    });

    it('is unknown again when polls stop', async () => {
      skipTime(2 * HOUR_MS + MINUTE_MS + 1); // a poll is valid for two intervals of an hour, plus a minute
      expect(await statuses()).toEqual({ TRC20: 'unknown', ERC20: 'unknown', BEP20: 'unknown' });
      await scenario.pollProvider();
      expect(await statuses()).toEqual({ TRC20: 'operational', ERC20: 'operational', BEP20: 'operational' });
    });

    it('reports an unavailable chain even without pending deposits', async () => {
      scenario.faults.set('chain', 'error');
      await scenario.pollProvider();
      expect(await statuses()).toEqual({ TRC20: 'operational', ERC20: 'delayed', BEP20: 'operational' });
      await scenario.endFaults();
      await scenario.pollProvider();
    });

    it('is public and contains the configured conditions', async () => {
      expect(await scenario.platform.as(null).get(PATH)).toMatchObject({ status: 200 });
      const terms = { minimumDeposit: '250.50', status: 'operational' };
      expect(await status()).toEqual({
        accepting: true,
        currencies: ['USDT', 'USDC'],
        networks: [
          { network: 'TRC20', requiredConfirmations: 20, ...terms },
          { network: 'ERC20', requiredConfirmations: 12, ...terms },
          { network: 'BEP20', requiredConfirmations: 7, ...terms },
        ],
      });
    });

    it('reports an unavailable provider until it answers again', async () => {
      scenario.faults.set('deposit', 'error');
      await scenario.pollProvider();
      expect((await status()).accepting).toBe(false);
      expect(await statuses()).toEqual({ TRC20: 'delayed', ERC20: 'delayed', BEP20: 'delayed' });
      await scenario.endFaults();
      await scenario.pollProvider();
      expect((await status()).accepting).toBe(true);
      expect(await statuses()).toEqual({ TRC20: 'operational', ERC20: 'operational', BEP20: 'operational' });
    });

    it('reports an unavailable chain only for ERC20', async () => {
      const { address } = await scenario.userWithAddress('USDC', 'ERC20');
      await scenario.provider.pay(address, '600'); // a deposit that each poll looks up on chain
      await scenario.pollProvider();
      scenario.faults.set('chain', 'error');
      await scenario.pollProvider();
      expect((await status()).accepting).toBe(true);
      expect(await statuses()).toEqual({ TRC20: 'operational', ERC20: 'delayed', BEP20: 'operational' });
    });

    it('ignores a token, valid or not', async () => {
      const user = await scenario.platform.given.user();
      for (const caller of [user, { token: 'nonsense' }]) {
        expect((await scenario.platform.as(caller).get(PATH)).status).toBe(200);
      }
    });
  });

  describe('GET /api/user/ping', () => {
    const ping = (caller: { token: string } | null) => scenario.platform.as(caller).get('/api/user/ping');

    it('returns the id of the user', async () => {
      const user = await scenario.platform.given.user();
      expect(await ping(user)).toMatchObject({ status: 200, data: { message: 'pong', userId: user.id } });
    });

    it('rejects anonymous callers and admins', async () => {
      expect((await ping(null)).code).toBe('TOKEN_MISSING');
      expect((await ping({ token: 'nonsense' })).code).toBe('TOKEN_INVALID');
      expect((await ping(await scenario.platform.given.admin())).code).toBe('FORBIDDEN');
    });
  });
});
