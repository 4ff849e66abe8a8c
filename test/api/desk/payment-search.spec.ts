import { FAUCET_ADDRESS, TREASURY_ADDRESS } from '../../../src/sandbox/anvil.js';
import { WithdrawalPaymentsService } from '../../../src/modules/funds/withdrawals/withdrawal-payments.service.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import {
  DESTINATION,
  UNKNOWN_ID,
  withdrawalSteps,
  type WithdrawalSteps,
} from '../../fixtures/withdrawals.js';
import { queryWithoutTriggers } from '../../fixtures/ledger-corruption.js';

describe('The search for a payment of a withdrawal that is not completed', () => {
  let platform: TestPlatform;
  let steps: WithdrawalSteps;
  let cents = 0;

  beforeAll(async () => {
    platform = await startPlatform();
    steps = await withdrawalSteps(platform);
  });
  afterAll(() => platform?.stop());

  const newAmount = () => `300.${String(++cents).padStart(2, '0')}`;
  const pay = (amount: string) => platform.outside.chain.payUsdc(DESTINATION, amount);
  const search = async (id: string, of = platform) =>
    (await of.app.get(WithdrawalPaymentsService).findPaymentSinceRequest(id)).found;

  it('finds the transfer and its sender after the withdrawal was taken [SEC-312]', async () => {
    const amount = newAmount();
    const { id } = await steps.createProcessing(amount);
    expect(await search(id)).toBeNull();
    const txHash = await pay(amount);
    expect(await search(id)).toMatchObject({ txHash, sender: TREASURY_ADDRESS });
  });

  it('finds a transfer that was made before the withdrawal was taken, also if it is not taken yet', async () => {
    const amount = newAmount();
    const { id } = await steps.createPending(amount);
    const txHash = await pay(amount);
    expect(await search(id)).toMatchObject({ txHash });
    await steps.take(id);
    expect(await search(id)).toMatchObject({ txHash });
  });

  it('finds a transfer that many blocks follow', async () => {
    const amount = newAmount();
    const { id } = await steps.createProcessing(amount);
    const txHash = await pay(amount);
    // Beyond two requests to the node; in parts, because a busy machine mines 2,500 blocks slowly.
    for (let part = 0; part < 5; part++) await platform.outside.chain.mine(500);
    expect(await search(id)).toMatchObject({ txHash });
  });

  it('ignores transfers of another amount and to another address', async () => {
    const amount = newAmount();
    const { id } = await steps.createProcessing(amount);
    await pay(`${amount}1`);
    await platform.outside.chain.payUsdc(FAUCET_ADDRESS, amount);
    expect(await search(id)).toBeNull();
  });

  it('ignores a transfer that is older than the request', async () => {
    const amount = newAmount();
    const { id } = await steps.createProcessing(amount);
    const txHash = await pay(amount);
    expect(await search(id)).toMatchObject({ txHash });
    await queryWithoutTriggers(
      platform,
      `update withdrawal set recorded_at = recorded_at + interval '1 day' where id = $1`,
      [id],
    );
    expect(await search(id)).toBeNull();
  });

  it('ignores a transfer that has completed another withdrawal of the same amount, and finds the second transfer', async () => {
    const amount = newAmount();
    const [first, second] = [await steps.createProcessing(amount), await steps.createProcessing(amount)];
    await steps.complete(first.id, (await pay(amount)).slice(2));
    expect(await search(second.id)).toBeNull();
    const txHash = await pay(amount);
    expect(await search(second.id)).toMatchObject({ txHash });
  });

  it('ignores a transfer whose hash has completed another withdrawal while the node did not answer', async () => {
    const amount = newAmount();
    const [first, second] = [await steps.createProcessing(amount), await steps.createProcessing(amount)];
    const txHash = await pay(amount);
    platform.outside.providers.faults.set('chain', 'error');
    await steps.complete(first.id, txHash);
    expect(await search(second.id)).toBe('unreachable');
    await platform.outside.providers.endFault('chain');
    expect(await search(second.id)).toBeNull();
  });

  it('is null for an unknown withdrawal', async () => {
    expect(await search(UNKNOWN_ID)).toBeNull();
    expect(await search('not-a-uuid')).toBeNull();
  });

  it.each([
    ['ignores a transfer from another sender', FAUCET_ADDRESS, null],
    ['finds a transfer from custody', TREASURY_ADDRESS.toLowerCase(), { sender: TREASURY_ADDRESS }],
  ])('with CUSTODY_ADDRESSES %s', async (_what, CUSTODY_ADDRESSES, expected) => {
    const strict = await startPlatform({ settings: { CUSTODY_ADDRESSES } });
    try {
      const amount = newAmount();
      const { id } = await (await withdrawalSteps(strict)).createProcessing(amount);
      await strict.outside.chain.payUsdc(DESTINATION, amount);
      const found = await search(id, strict);
      if (expected) expect(found).toMatchObject(expected);
      else expect(found).toBeNull();
    } finally {
      await strict.stop();
    }
  });
});
