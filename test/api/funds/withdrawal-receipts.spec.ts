import { verifyReceipt } from '../../../client/verify.js';
import { HOUR_MS } from '../../../src/common/durations.js';
import { LogKeysService } from '../../../src/modules/assurance/proofs/log-keys.service.js';
import { sealLog } from '../../fixtures/log-reader.js';
import { DESTINATION, unknownHash, withdrawalSteps } from '../../fixtures/withdrawals.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';

describe('The receipt of a completed withdrawal', () => {
  let platform: TestPlatform;

  beforeAll(async () => {
    platform = await startPlatform({ settings: { FOUR_EYES: 'off', LOG_SEAL_SECONDS: '3600' } });
  });
  afterAll(() => platform?.stop());

  it('states what the chain shows about the payment, as of the last check [SEC-316]', async () => {
    const steps = await withdrawalSteps(platform);
    const completeWith = async (amount: string, hash: string) => {
      const { id, ann } = await steps.createProcessing(amount);
      expect((await steps.complete(id, hash)).status).toBe(200);
      return { id, ann };
    };
    const { chain } = platform.outside;
    const paid = await completeWith('41.00', await chain.payUsdc(DESTINATION, '41.00'));
    const refuted = await completeWith('42.00', await chain.payUsdc(DESTINATION, '42.01'));
    const unknown = await completeWith('43.00', unknownHash());
    const completedAt = platform.clock.now().toISOString();
    await sealLog(platform);
    const checkOf = async ({ id, ann }: typeof paid) => {
      const { data } = await platform.as(ann).get(`/api/user/withdrawals/${id}/receipt`);
      const keys = platform.app.get(LogKeysService).signingKeys.map(({ publicKey }) => publicKey.jwk);
      return ((await verifyReceipt(data, { keys })) as any).chainCheck;
    };
    const asOf = expect.any(String);
    expect(await checkOf(paid)).toEqual({ verdict: 'matched', reason: null, asOf });
    expect(await checkOf(refuted)).toEqual({ verdict: 'mismatch', reason: 'NO_SUCH_TRANSFER', asOf });
    const first = await checkOf(unknown);
    expect(first).toEqual({ verdict: 'unverified', reason: null, asOf });
    expect(first.asOf <= completedAt).toBe(true);

    platform.clock.advance(HOUR_MS);
    await platform.runJob('withdrawal-chain-checks');
    const later = await checkOf(unknown);
    expect(later).toEqual({ verdict: 'mismatch', reason: 'TRANSACTION_UNKNOWN', asOf });
    expect(later.asOf > completedAt).toBe(true);
  });
});
