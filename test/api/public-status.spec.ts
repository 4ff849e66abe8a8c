import { startReplica } from '../harness/replica.js';
import { skipTime } from '../harness/skip-time.js';
import { DepositScene } from '../fixtures/deposit-scene.js';

const PATH = '/api/deposits/status';
const NETWORKS = '/api/blockchain/networks';

describe('Public status', () => {
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

  describe('GET /api/deposits/status', () => {
    it('is unknown until the first poll', async () => {
      const at = await startReplica(scene.platform, {});
      const { data } = await scene.platform.as(null, at).get(PATH);
      expect(data.accepting).toBe(true);
      expect(data.networks).toMatchObject(Array(3).fill({ status: 'unknown' }));
      const network = await scene.platform.as(null, at).get(`${NETWORKS}/TRC20/status`);
      expect(network.data.status).toBe('unknown');
    });

    it('is unknown again when polls stop', async () => {
      skipTime(2 * 3_600_000 + 60_001); // two polls and one minute late
      expect(await statuses()).toEqual({ TRC20: 'unknown', ERC20: 'unknown', BEP20: 'unknown' });
      await scene.poll();
      expect(await statuses()).toEqual({ TRC20: 'operational', ERC20: 'operational', BEP20: 'operational' });
    });

    it('reports an unavailable chain even without pending deposits', async () => {
      scene.faults.set('chain', 'error');
      await scene.poll();
      expect(await statuses()).toEqual({ TRC20: 'operational', ERC20: 'delayed', BEP20: 'operational' });
      await scene.endFaults();
      await scene.poll();
    });

    it('is public and contains the configured conditions', async () => {
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

    it('reports an unavailable provider until it answers again', async () => {
      scene.faults.set('deposit', 'error');
      await scene.poll();
      expect((await status()).accepting).toBe(false);
      expect(await statuses()).toEqual({ TRC20: 'delayed', ERC20: 'delayed', BEP20: 'delayed' });
      await scene.endFaults();
      await scene.poll();
      expect((await status()).accepting).toBe(true);
      expect(await statuses()).toEqual({ TRC20: 'operational', ERC20: 'operational', BEP20: 'operational' });
    });

    it('reports an unavailable chain only for ERC20', async () => {
      const { address } = await scene.userWithAddress('USDC', 'ERC20');
      await scene.provider.pay(address, '600'); // a deposit to look up
      await scene.poll();
      scene.faults.set('chain', 'error');
      await scene.poll();
      expect((await status()).accepting).toBe(true);
      expect(await statuses()).toEqual({ TRC20: 'operational', ERC20: 'delayed', BEP20: 'operational' });
    });

    it('ignores a token, valid or not', async () => {
      const user = await scene.platform.given.user();
      for (const caller of [user, { token: 'nonsense' }]) {
        expect((await scene.platform.as(caller).get(PATH)).status).toBe(200);
      }
    });
  });

  describe('GET /api/user/ping', () => {
    const ping = (caller: { token: string } | null) => scene.platform.as(caller).get('/api/user/ping');

    it('returns the id of the user', async () => {
      const user = await scene.platform.given.user();
      expect(await ping(user)).toMatchObject({ status: 200, data: { message: 'pong', userId: user.id } });
    });

    it('rejects anonymous callers and admins', async () => {
      expect((await ping(null)).code).toBe('TOKEN_MISSING');
      expect((await ping({ token: 'nonsense' })).code).toBe('TOKEN_INVALID');
      expect((await ping(await scene.platform.given.admin())).code).toBe('FORBIDDEN');
    });
  });
});
