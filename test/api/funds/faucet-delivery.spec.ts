import { encodeAbiParameters, keccak256, pad } from 'viem';
import type { Reply } from '../../harness/http-client.js';
import { eventually } from '../../harness/eventually.js';
import { FaucetScenario, newAddress } from '../../fixtures/faucet-scenario.js';
import { repetitions } from '../../harness/repetitions.js';
import { startReplica } from '../../harness/replica.js';
import { RpcFilter } from '../../harness/rpc-filter.js';
import { freezeTime } from '../../harness/skip-time.js';

// Delivery of faucet payouts under concurrency and network faults: each accepted payout is paid exactly once, or fails
// without a payment.

const THOUSAND = 1_000_000_000n; // 1000 USDC, the default amount; USDC has six decimals
const SEND = 'eth_sendRawTransaction';
const AFTER_WAIT_MS = 6001; // a request waits six seconds for its payout

describe('A faucet payout', () => {
  let scenario: FaucetScenario;
  let filter: RpcFilter;
  let secondUrl: string; // the URL of a second replica, whose calls to the node pass through the filter
  let time: ReturnType<typeof freezeTime>; // the clock by which a request waits for its payout

  beforeAll(async () => {
    scenario = await FaucetScenario.start();
    await scenario.stopPayoutJob(); // the job would send the transactions that the filter drops
    filter = await RpcFilter.startFor(scenario.platform.outside.chain.rpcUrl);
    secondUrl = await startReplica(scenario.platform, { RPC_URL: filter.url, DATABASE_POOL_SIZE: 2 });
    time = freezeTime();
  });
  afterEach(async () => {
    filter.passAllCalls();
    await scenario.platform.outside.providers.endFault('chain');
    await scenario.node.setAutomine(true);
  });
  afterAll(async () => {
    await scenario?.stop();
    await filter?.stop();
  });

  const statusOf = async (walletAddress: string) => {
    const { records } = await scenario.read('history', '?limit=100');
    return records.find((record: { walletAddress: string }) => record.walletAddress === walletAddress).status;
  };
  const waitForPooled = (count: number) =>
    eventually(async () => expect((await scenario.node.getTxpoolStatus()).pending).toBe(count));
  /** Sends a request to the second replica, drops its transaction, and lets the waiting time pass. */
  const lostRequest = async (walletAddress: string): Promise<Reply> => {
    const before = filter.droppedCalls;
    filter.drop('request', SEND);
    const pendingReply = scenario.request({ walletAddress }, secondUrl);
    await eventually(async () => expect(filter.droppedCalls).toBeGreaterThan(before));
    time.advance(AFTER_WAIT_MS);
    return pendingReply;
  };
  const codes = (replies: Reply[]) => replies.map(({ status, code }) => code ?? String(status)).sort();

  it('is made once for many concurrent requests on two replicas, regardless of the case of the address', async () => {
    for (let round = 0; round < repetitions(8); round++) {
      const address = newAddress();
      const spellings = [address, address.toLowerCase(), `0x${address.slice(2).toUpperCase()}`, address];
      const replies = await Promise.all(
        spellings.flatMap((walletAddress) => [
          scenario.request({ walletAddress }),
          scenario.request({ walletAddress }, secondUrl),
        ]),
      );
      expect(codes(replies)).toEqual(['200', ...Array<string>(7).fill('RATE_LIMIT_EXCEEDED')]);
      expect(await scenario.usdcBalance(address)).toBe(THOUSAND);
    }
  });

  it('is made to each of many addresses concurrently on two replicas, with distinct nonces', async () => {
    const before = await scenario.node.getTransactionCount({ address: scenario.address });
    const addresses = Array.from({ length: repetitions(64) }, newAddress);
    const replies = await Promise.all(
      addresses.map((walletAddress, i) =>
        eventually(async () => {
          const reply = await scenario.request({ walletAddress }, i % 2 ? secondUrl : undefined);
          expect(reply.code).toBeUndefined(); // on a busy machine the node or the database may be unavailable for a while
          return reply;
        }),
      ),
    );
    await eventually(async () => {
      await scenario.settlePayouts(); // payouts that a busy machine did not finish within their request
      expect((await scenario.payouts()).filter(({ status }) => status !== 'completed')).toEqual([]);
    });
    for (const address of addresses) expect(await scenario.usdcBalance(address)).toBe(THOUSAND);
    const nonces = (await scenario.payouts()).map(({ nonce }) => Number(nonce)).sort((a, b) => a - b);
    expect(nonces.slice(-addresses.length)).toEqual(addresses.map((_, i) => before + i)); // no gap and no duplicate
    expect(new Set(replies.map(({ data }) => data.transactionHash)).size).toBe(addresses.length);
  });

  it('is completed when the node accepted the transaction and its response was lost', async () => {
    const before = filter.droppedCalls;
    filter.drop('response', SEND);
    const walletAddress = newAddress();
    expect((await scenario.request({ walletAddress }, secondUrl)).data).toMatchObject({
      status: 'completed',
    });
    expect(filter.droppedCalls).toBeGreaterThan(before);
    expect(await scenario.usdcBalance(walletAddress)).toBe(THOUSAND);
  });

  it('stays pending when the transaction did not reach the node, is not repeated, and is sent by the next job run', async () => {
    const walletAddress = newAddress();
    const { data } = await lostRequest(walletAddress);
    expect(data).toMatchObject({
      status: 'pending',
      confirmations: 0,
      blockNumber: null,
      gasUsed: null,
      gasCost: null,
    });
    expect(await scenario.usdcBalance(walletAddress)).toBe(0n);
    expect((await scenario.request({ walletAddress })).code).toBe('RATE_LIMIT_EXCEEDED');
    await scenario.settlePayouts(); // sends the transaction
    await scenario.settlePayouts(); // looks the transaction up
    expect(await statusOf(walletAddress)).toBe('completed');
    expect(await scenario.usdcBalance(walletAddress)).toBe(THOUSAND);
    await scenario.settlePayouts();
    expect(await scenario.usdcBalance(walletAddress)).toBe(THOUSAND);
  });

  it('is signed again and paid once when its nonce was used by another transaction', async () => {
    const walletAddress = newAddress();
    const { data } = await lostRequest(walletAddress);
    await scenario.spendOutsideFaucet();
    await Promise.all([scenario.settlePayouts(), scenario.settlePayouts()]);
    await scenario.settlePayouts();
    const { records } = await scenario.read('history', '?limit=1');
    expect(records[0]).toMatchObject({ walletAddress, status: 'completed' });
    expect(records[0].transactionHash).not.toBe(data.transactionHash);
    expect(await scenario.usdcBalance(walletAddress)).toBe(THOUSAND);
  });

  it('stays pending until its transaction is mined, then is settled', async () => {
    await scenario.node.setAutomine(false);
    const addresses = [newAddress(), newAddress()];
    const pendingReplies = addresses.map((walletAddress, i) =>
      scenario.request({ walletAddress }, i ? secondUrl : undefined),
    );
    await waitForPooled(2);
    time.advance(AFTER_WAIT_MS);
    const replies = await Promise.all(pendingReplies);
    expect(replies.map(({ data }) => data.status)).toEqual(['pending', 'pending']);
    const { limits, statistics } = await scenario.read('status');
    // Each request of this file gets 1000.00; pending payouts are included.
    expect(limits.distributedToday).toBe(`${statistics.totalRequests * 1000}.00`);
    await scenario.node.mine({ blocks: 1 });
    await scenario.settlePayouts();
    for (const address of addresses) {
      expect(await statusOf(address)).toBe('completed');
      expect(await scenario.usdcBalance(address)).toBe(THOUSAND);
    }
  });

  it('fails when the transaction is reverted, and the address may request again', async () => {
    const balance = await scenario.usdcBalance(scenario.address);
    await scenario.node.setAutomine(false);
    const walletAddress = newAddress();
    const pendingReply = scenario.request({ walletAddress });
    await waitForPooled(1);
    await setFaucetBalance(0n); // the transaction in the pool now exceeds the balance
    await scenario.node.mine({ blocks: 1 });
    const { data } = await pendingReply;
    expect(data).toMatchObject({ status: 'failed', nextAllowedRequest: data.timestamp });
    await setFaucetBalance(balance);
    await scenario.node.setAutomine(true);
    expect((await scenario.request({ walletAddress })).data.status).toBe('completed');
    expect(await scenario.usdcBalance(walletAddress)).toBe(THOUSAND);
  });

  /** Overwrites the faucet's balance of USDC. Slot 1 of the token contract's storage holds the balances. */
  async function setFaucetBalance(amount: bigint): Promise<void> {
    const index = keccak256(
      encodeAbiParameters([{ type: 'address' }, { type: 'uint256' }], [scenario.address, 1n]),
    );
    const value = pad(`0x${amount.toString(16)}`, { size: 32 });
    await scenario.node.setStorageAt({ address: scenario.platform.outside.chain.usdcAddress, index, value });
  }

  it('has the right nonce after the chain was reset', async () => {
    const id = await scenario.node.snapshot();
    for (let i = 0; i < 2; i++) await scenario.request({ walletAddress: newAddress() });
    await scenario.node.revert({ id });
    const walletAddress = newAddress();
    expect((await scenario.request({ walletAddress })).data.status).toBe('completed');
    expect(await scenario.usdcBalance(walletAddress)).toBe(THOUSAND);
  });

  it.each(['error', 'drop', 'timeout'] as const)(
    'is rejected with 503 while the node is unavailable (%s), and starts no cooldown',
    async (mode) => {
      const walletAddress = newAddress();
      const before = await scenario.payouts();
      scenario.faults.set('chain', mode);
      const replies = await Promise.all([
        scenario.request({ walletAddress }),
        scenario.platform.as(null).get('/api/faucet/status'),
        scenario.platform.as(null).get('/api/faucet/balance'),
      ]);
      for (const reply of replies) expect(reply).toMatchObject({ status: 503, code: 'BLOCKCHAIN_ERROR' });
      expect(await scenario.payouts()).toEqual(before);
      await scenario.platform.outside.providers.endFault('chain');
      expect((await scenario.request({ walletAddress })).status).toBe(200);
    },
  );

  it('holds no database connection while it waits for the chain', async () => {
    await scenario.node.setAutomine(false);
    let answered = 0;
    const pendingReplies = Array.from({ length: 4 }, () =>
      scenario.request({ walletAddress: newAddress() }, secondUrl).finally(() => (answered += 1)),
    );
    await waitForPooled(pendingReplies.length);
    expect((await scenario.platform.as(null, secondUrl).get('/api/faucet/history')).status).toBe(200);
    expect(answered).toBe(0); // the four waiting requests use neither of the two connections
    await scenario.node.mine({ blocks: 1 });
    for (const reply of await Promise.all(pendingReplies)) expect(reply.data.status).toBe('completed');
  });
});
