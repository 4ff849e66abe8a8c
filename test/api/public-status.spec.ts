import { startReplica } from '../harness/replica.js';
import { skipTime } from '../harness/skip-time.js';
import { DepositScene } from '../fixtures/deposit-scene.js';

const PATH = '/api/deposits/status';
const NETWORKS = '/api/blockchain/networks';

describe('Status', () => {
  let scene: DepositScene;

  beforeAll(async () => {
    scene = await DepositScene.start({ CONFIRMATIONS_BEP20: '7', MINIMUM_DEPOSIT: '250.5' });
    await scene.poll();
  });
  afterEach(() => scene.endFaults());
  afterAll(() => scene.stop());

  const status = async () => (await scene.platform.as(null).get(PATH)).data;
  const statuses = async () =>
    Object.fromEntries(
      (await status()).networks.map(({ network, status: word }: Record<string, string>) => [network, word]),
    );

  describe('of deposits', () => {
    it('is unknown until the first poll has asked the provider and the chain', async () => {
      const at = await startReplica(scene.platform, {});
      const { data } = await scene.platform.as(null, at).get(PATH);
      expect(data.accepting).toBe(true);
      expect(data.networks).toMatchObject(Array(3).fill({ status: 'unknown' }));
      const network = await scene.platform.as(null, at).get(`${NETWORKS}/TRC20/status`);
      expect(network.data.status).toBe('unknown');
    });

    it('is unknown again after the polls have stopped', async () => {
      skipTime(2 * 3_600_000 + 60_001); // two polls are overdue, and a minute has passed
      expect(await statuses()).toEqual({ TRC20: 'unknown', ERC20: 'unknown', BEP20: 'unknown' });
      await scene.poll();
      expect(await statuses()).toEqual({ TRC20: 'operational', ERC20: 'operational', BEP20: 'operational' });
    });

    it('shows that the chain does not answer, also without an open deposit', async () => {
      scene.faults.set('chain', 'error');
      await scene.poll();
      expect(await statuses()).toEqual({ TRC20: 'operational', ERC20: 'delayed', BEP20: 'operational' });
      await scene.endFaults();
      await scene.poll();
    });

    it('is public and contains the configured terms', async () => {
      expect(await scene.platform.as(null).get(PATH)).toMatchObject({ status: 200 });
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

    it('shows that the provider does not answer, until it does again', async () => {
      scene.faults.set('deposit', 'error');
      await scene.poll();
      expect((await status()).accepting).toBe(false);
      expect(await statuses()).toEqual({ TRC20: 'delayed', ERC20: 'delayed', BEP20: 'delayed' });
      await scene.endFaults();
      await scene.poll();
      expect((await status()).accepting).toBe(true);
      expect(await statuses()).toEqual({ TRC20: 'operational', ERC20: 'operational', BEP20: 'operational' });
    });

    it('shows that the chain does not answer, which affects ERC20 only', async () => {
      const { address } = await scene.userWithAddress('USDC', 'ERC20');
      await scene.provider.pay(address, '600'); // something to look up
      await scene.poll();
      scene.faults.set('chain', 'error');
      await scene.poll();
      expect((await status()).accepting).toBe(true);
      expect(await statuses()).toEqual({ TRC20: 'operational', ERC20: 'delayed', BEP20: 'operational' });
    });

    it('ignores the token', async () => {
      const user = await scene.platform.given.user();
      for (const who of [user, { token: 'nonsense' }]) {
        expect((await scene.platform.as(who).get(PATH)).status).toBe(200);
      }
    });
  });

  describe('of the service, for a user', () => {
    const ping = (who: { token: string } | null) => scene.platform.as(who).get('/api/user/ping');

    it('answers pong with the user’s id', async () => {
      const user = await scene.platform.given.user();
      expect(await ping(user)).toMatchObject({ status: 200, data: { message: 'pong', userId: user.id } });
    });

    it('rejects requests without a user’s token', async () => {
      expect((await ping(null)).code).toBe('TOKEN_MISSING');
      expect((await ping({ token: 'nonsense' })).code).toBe('TOKEN_INVALID');
      expect((await ping(await scene.platform.given.admin())).code).toBe('FORBIDDEN');
    });
  });
});
