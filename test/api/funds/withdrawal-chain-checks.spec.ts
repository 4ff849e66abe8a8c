import { HOUR_MS } from '../../../src/common/durations.js';
import { FAUCET_ADDRESS, TREASURY_ADDRESS } from '../../../src/sandbox/anvil.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import {
  DESTINATION,
  unknownHash,
  withdrawalSteps,
  type WithdrawalSteps,
} from '../../fixtures/withdrawals.js';
import { queryWithoutTriggers } from '../../fixtures/ledger-corruption.js';

describe('The chain check of a completed withdrawal', () => {
  let platform: TestPlatform;
  let steps: WithdrawalSteps;

  beforeAll(async () => {
    platform = await startPlatform({ settings: { FOUR_EYES: 'off' } });
    steps = await withdrawalSteps(platform);
  });
  afterAll(() => platform?.stop());

  /** Moves the recorded time of the request into the future, so that the block of the payment is older. */
  const moveRecordedTime = (id: string, seconds: number) =>
    queryWithoutTriggers(
      platform,
      `update withdrawal set recorded_at = recorded_at + $2 * interval '1 second' where id = $1`,
      [id, seconds],
    );
  const checkOf = async (id: string) => {
    const { chainCheck, chainCheckReason, withdrawal } = await steps.detail(id);
    expect(withdrawal).toMatchObject({ chainCheck, chainCheckReason });
    return [chainCheck, chainCheckReason];
  };

  it('is matched if the hash was entered without the prefix 0x', async () => {
    const { id } = await steps.createProcessing('30.00');
    const hash = await platform.outside.chain.payUsdc(DESTINATION, '30.00');
    await steps.complete(id, hash.slice(2));
    expect(await checkOf(id)).toEqual(['matched', null]);
  });

  it('is a mismatch if the transfer is older than the request', async () => {
    const { id } = await steps.createProcessing('31.00');
    const hash = await platform.outside.chain.payUsdc(DESTINATION, '31.00');
    await moveRecordedTime(id, 3600);
    const { data } = await steps.complete(id, hash);
    expect(data).toMatchObject({ chainCheck: 'mismatch', chainCheckReason: 'OLDER_THAN_REQUEST' });
    expect(await checkOf(id)).toEqual(['mismatch', 'OLDER_THAN_REQUEST']);
  });

  it('is a mismatch when a later check finds that the transfer is older than the request', async () => {
    const { id } = await steps.createProcessing('32.00');
    const hash = await platform.outside.chain.payUsdc(DESTINATION, '32.00');
    await moveRecordedTime(id, 3600);
    platform.outside.providers.faults.set('chain', 'error');
    await steps.complete(id, hash);
    expect(await checkOf(id)).toEqual(['unverified', null]);
    await platform.outside.providers.endFault('chain');
    await platform.runJob('withdrawal-chain-checks');
    expect(await checkOf(id)).toEqual(['mismatch', 'OLDER_THAN_REQUEST']);
  });

  it('compares the time of the block with the database clock and not with the domain clock', async () => {
    const before = platform.clock.now();
    platform.clock.moveTo('2036-03-02T10:00:00.000Z');
    const { id } = await steps.createProcessing('33.00');
    const hash = await platform.outside.chain.payUsdc(DESTINATION, '33.00');
    await steps.complete(id, hash);
    expect(await checkOf(id)).toEqual(['matched', null]);
    platform.clock.moveTo(before.toISOString());
  });

  it.each([
    ['pays another amount', '34.000001', 'NO_SUCH_TRANSFER'],
    ['is still unknown after an hour', null, 'TRANSACTION_UNKNOWN'],
  ])('is a mismatch with a reason when the transaction %s', async (_what, paid, reason) => {
    const { id } = await steps.createProcessing('34.00');
    await steps.complete(id, paid ? await platform.outside.chain.payUsdc(DESTINATION, paid) : unknownHash());
    platform.clock.advance(HOUR_MS);
    await platform.runJob('withdrawal-chain-checks');
    expect(await checkOf(id)).toEqual(['mismatch', reason]);
  });

  it('is a mismatch when the sender is not a custody address', async () => {
    // payUsdc pays from TREASURY_ADDRESS.
    const strict = await startPlatform({ settings: { FOUR_EYES: 'off', CUSTODY_ADDRESSES: FAUCET_ADDRESS } });
    try {
      const strictSteps = await withdrawalSteps(strict);
      const { id: strictId } = await strictSteps.createProcessing('35.00');
      const strictHash = await strict.outside.chain.payUsdc(DESTINATION, '35.00');
      expect((await strictSteps.complete(strictId, strictHash)).data).toMatchObject({
        chainCheck: 'mismatch',
        chainCheckReason: 'SENDER_NOT_CUSTODY',
      });
    } finally {
      await strict.stop();
    }
    // Control: without CUSTODY_ADDRESSES every sender is accepted.
    const { id } = await steps.createProcessing('35.00');
    const hash = await platform.outside.chain.payUsdc(DESTINATION, '35.00');
    expect((await steps.complete(id, hash)).data.chainCheck).toBe('matched');
  });

  it('is matched when the sender is a custody address, regardless of letter case', async () => {
    const CUSTODY_ADDRESSES = `${FAUCET_ADDRESS},${TREASURY_ADDRESS.toLowerCase()}`;
    const strict = await startPlatform({ settings: { FOUR_EYES: 'off', CUSTODY_ADDRESSES } });
    try {
      const strictSteps = await withdrawalSteps(strict);
      const { id } = await strictSteps.createProcessing('36.00');
      const hash = await strict.outside.chain.payUsdc(DESTINATION, '36.00');
      expect((await strictSteps.complete(id, hash)).data).toMatchObject({
        chainCheck: 'matched',
        chainCheckReason: null,
      });
    } finally {
      await strict.stop();
    }
  });
});
