import { createPublicClient, http } from 'viem';
import { startChain } from '../../src/sandbox/chain.js';
import { testFolder } from '../harness/test-folder.js';

const ALICE = '0x00000000000000000000000000000000000000A1';

describe('The chain of the sandbox', () => {
  it('transfers test USDC and keeps blocks, receipts and balances after a restart', async () => {
    const dataDir = testFolder('sandbox-chain');
    const first = await startChain({ dataDir });
    const hashes = await Promise.all(['12.345678', '1', '1'].map((amount) => first.payUsdc(ALICE, amount)));
    await first.mine(5);
    const height = await first.blockNumber();
    // 12.345678 + 1 + 1 = 14.345678
    expect(await first.usdcBalance(ALICE)).toBe(14_345_678n);
    await first.stop();

    const second = await startChain({ dataDir });
    try {
      const reader = createPublicClient({ transport: http(second.rpcUrl) });
      expect(second.usdcAddress).toBe(first.usdcAddress);
      expect(await second.blockNumber()).toBe(height);
      expect(await second.usdcBalance(ALICE)).toBe(14_345_678n);
      for (const hash of hashes) {
        const receipt = await reader.getTransactionReceipt({ hash });
        expect(receipt).toMatchObject({ status: 'success', to: first.usdcAddress.toLowerCase() });
        expect(receipt.logs).toHaveLength(1);
      }
      await second.payUsdc(ALICE, '0.000001');
      expect(await second.usdcBalance(ALICE)).toBe(14_345_679n);
    } finally {
      await second.stop();
    }
  });

  it('sends concurrent payments as separate transactions', async () => {
    const chain = await startChain();
    const hashes = await Promise.all(Array.from({ length: 100 }, () => chain.payUsdc(ALICE, '1')));
    expect(new Set(hashes).size).toBe(100);
    expect(await chain.usdcBalance(ALICE)).toBe(100_000_000n);
    await chain.stop();
  });

  it('mines a block each second with the option blockSeconds, besides those with transactions', async () => {
    const chain = await startChain({ blockSeconds: 1 });
    try {
      const reader = createPublicClient({ transport: http(chain.rpcUrl), pollingInterval: 100 });
      const hash = await chain.payUsdc(ALICE, '1');
      const receipt = await reader.waitForTransactionReceipt({ hash, confirmations: 3, timeout: 20_000 });
      expect(receipt.status).toBe('success');
    } finally {
      await chain.stop();
    }
  });

  it('can run several times at once, with separate states', async () => {
    const [first, second] = await Promise.all([startChain(), startChain()]);
    await first.payUsdc(ALICE, '5');
    expect(await first.usdcBalance(ALICE)).toBe(5_000_000n);
    expect(await second.usdcBalance(ALICE)).toBe(0n);
    await Promise.all([first.stop(), second.stop()]);
  });
});
