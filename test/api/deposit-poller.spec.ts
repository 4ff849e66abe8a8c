import { WebhookInbox } from '../../src/modules/webhooks/webhook-inbox.js';
import { DepositScene } from '../fixtures/deposit-scene.js';
import { eventually, newHash, newProviderId } from '../fixtures/provider-callbacks.js';

const HOUR_MS = 3_600_000;

describe('The deposit poller', () => {
  let scene: DepositScene;

  beforeAll(async () => {
    scene = await DepositScene.start({ USDT_USDC_RATE: '0.999' });
  });
  afterEach(() => scene.endFaults());
  afterAll(() => scene.stop());

  it.each([
    ['USDC', 'ERC20', '600', '600.00'],
    ['USDT', 'TRC20', '600', '599.40'], // 600 × 0.999
  ])(
    'credits deposits of %s over %s whose callbacks were lost',
    async (currency, network, amount, credited) => {
      const { user, address } = await scene.userWithAddress(currency, network);
      scene.faults.set('deposit', 'drop');
      await scene.provider.pay(address, amount);
      await scene.mine(20);
      await scene.platform.app.get(WebhookInbox).drain();
      expect(await scene.depositsOf(user)).toEqual([]);
      await scene.poll();
      expect(await scene.onlyDeposit(user)).toMatchObject({ status: 'completed' });
      expect(await scene.available(user)).toBe(credited);
    },
  );

  it('credits a deposit once when callbacks and several polls run concurrently', async () => {
    const { user, address } = await scene.userWithAddress('USDC', 'ERC20');
    scene.faults.set('deposit', 'duplicate');
    await scene.provider.pay(address, '600');
    await scene.mine(12);
    await Promise.all([scene.poll(), scene.poll(), scene.poll()]);
    await eventually(async () => (await scene.available(user)) === '600.00');
    await scene.poll();
    expect(await scene.available(user)).toBe('600.00');
  });

  it('continues after failures of the provider and the chain, and credits the deposit when both are available', async () => {
    const { user, address } = await scene.userWithAddress('USDC', 'ERC20');
    scene.faults.set('deposit', 'drop');
    await scene.provider.pay(address, '600');
    await scene.mine(12);
    scene.faults.set('deposit', 'error');
    await scene.poll();
    scene.faults.clear('deposit');
    scene.faults.set('chain', 'error');
    await scene.poll();
    expect(await scene.available(user)).toBe('0.00');
    scene.faults.clear('chain');
    await scene.poll();
    expect(await scene.available(user)).toBe('600.00');
  });

  it('fails a deposit that was not seen for 24 hours, and credits it as a new deposit when it is reported later', async () => {
    const { user, address } = await scene.userWithAddress('USDT', 'TRC20');
    const report = { id: newProviderId(), hash: newHash(), address, amount: '1000' };
    await scene.callbacks.tell({ ...report, status: 'Pending', confirmations: 0 });
    scene.platform.clock.advance(24 * HOUR_MS - 1);
    await scene.poll();
    expect(await scene.onlyDeposit(user)).toMatchObject({ status: 'pending' });
    scene.platform.clock.advance(1);
    await scene.poll();
    expect(await scene.onlyDeposit(user)).toMatchObject({
      status: 'failed',
      metadata: { reason: 'The transaction has not been seen for 24 hours.' },
    });
    await scene.callbacks.tell({ ...report, status: 'Success', confirmations: 20 });
    expect((await scene.depositsOf(user)).map(({ status }) => status)).toEqual(['failed', 'completed']);
    expect(await scene.available(user)).toBe('999.00'); // 1000 × 0.999
  });
});
