import { encodeAbiParameters, keccak256, pad } from 'viem';
import type { Reply } from '../harness/http-client.js';
import { eventually } from '../harness/eventually.js';
import { FaucetScene, newAddress } from '../fixtures/faucet-scene.js';
import { startReplica } from '../harness/replica.js';
import { RpcFilter } from '../harness/rpc-filter.js';
import { stopTime } from '../harness/skip-time.js';

// Delivery of faucet payouts under concurrency and network faults: each address is paid exactly once, and every
// accepted payout is delivered.

const THOUSAND = 1_000_000_000n;
const SEND = 'eth_sendRawTransaction';
const LONGEST_MS = 6001; // longer than a request waits for its payout

describe('A faucet payout', () => {
  let scene: FaucetScene;
  let filter: RpcFilter;
  let second: string;
  let time: ReturnType<typeof stopTime>; // the clock by which a request waits for its payout

  beforeAll(async () => {
    scene = await FaucetScene.start();
    await scene.stopTimer(); // the second replica sends only what the filter lets pass
    filter = await RpcFilter.before(scene.platform.outside.chain.rpcUrl);
    second = await startReplica(scene.platform, { RPC_URL: filter.url, DATABASE_POOL_SIZE: 2 });
    time = stopTime();
  });
  afterEach(async () => {
    filter.loseNothing();
    await scene.platform.outside.providers.endFault('chain');
    await scene.node.setAutomine(true);
  });
  afterAll(async () => {
    await scene.stop();
    await filter.stop();
  });

  const statusOf = async (walletAddress: string) => {
    const { records } = await scene.look('history', '?limit=100');
    return records.find((record: { walletAddress: string }) => record.walletAddress === walletAddress).status;
  };
  const inPool = (count: number) =>
    eventually(async () => expect((await scene.node.getTxpoolStatus()).pending).toBe(count));
  /** Sends a request to the second replica, loses its transaction, and lets the waiting time pass. */
  const lostRequest = async (walletAddress: string): Promise<Reply> => {
    const before = filter.losses;
    filter.lose('question', SEND);
    const pendingReplies = scene.request({ walletAddress }, second);
    await eventually(async () => expect(filter.losses).toBeGreaterThan(before));
    time.pass(LONGEST_MS);
    return pendingReplies;
  };
  const codes = (replies: Reply[]) => replies.map(({ status, code }) => code ?? String(status)).sort();

  it('is made once for many concurrent requests on two replicas, regardless of the case of the address', async () => {
    for (let round = 0; round < 5; round++) {
      const address = newAddress();
      const written = [address, address.toLowerCase(), `0x${address.slice(2).toUpperCase()}`, address];
      const replies = await Promise.all(
        written.flatMap((walletAddress) => [
          scene.request({ walletAddress }),
          scene.request({ walletAddress }, second),
        ]),
      );
      expect(codes(replies)).toEqual(['200', ...Array<string>(7).fill('RATE_LIMIT_EXCEEDED')]);
      expect(await scene.held(address)).toBe(THOUSAND);
    }
  });

  it('is made to each of many addresses concurrently on two replicas, with distinct nonces', async () => {
    const before = await scene.node.getTransactionCount({ address: scene.address });
    const addresses = Array.from({ length: 30 }, newAddress);
    const replies = await Promise.all(
      addresses.map((walletAddress, i) => scene.request({ walletAddress }, i % 2 ? second : undefined)),
    );
    expect(replies.map(({ status }) => status)).toEqual(addresses.map(() => 200));
    await eventually(async () => {
      await scene.settle(); // payouts that a busy machine did not finish within their request
      expect((await scene.payouts()).filter(({ status }) => status !== 'completed')).toEqual([]);
    });
    for (const address of addresses) expect(await scene.held(address)).toBe(THOUSAND);
    const nonces = (await scene.payouts()).map(({ nonce }) => Number(nonce)).sort((a, b) => a - b);
    expect(nonces.slice(-30)).toEqual(addresses.map((_, i) => before + i)); // no gap and no duplicate
    expect(new Set(replies.map(({ data }) => data.transactionHash)).size).toBe(30);
  });

  it('is completed when the node accepted the transaction and its response was lost', async () => {
    filter.lose('answer', SEND);
    const walletAddress = newAddress();
    expect((await scene.request({ walletAddress }, second)).data).toMatchObject({ status: 'completed' });
    expect(await scene.held(walletAddress)).toBe(THOUSAND);
  });

  it('stays pending when the transaction did not reach the node, is not repeated, and is sent by the next job run', async () => {
    const walletAddress = newAddress();
    const { data } = await lostRequest(walletAddress);
    expect(data).toMatchObject({
      ...{ status: 'pending', confirmations: 0 },
      ...{ blockNumber: null, gasUsed: null, gasCost: null },
    });
    expect(await scene.held(walletAddress)).toBe(0n);
    expect((await scene.request({ walletAddress })).code).toBe('RATE_LIMIT_EXCEEDED');
    await scene.settle(); // sends the transaction
    await scene.settle(); // looks the transaction up
    expect(await statusOf(walletAddress)).toBe('completed');
    expect(await scene.held(walletAddress)).toBe(THOUSAND);
    await scene.settle();
    expect(await scene.held(walletAddress)).toBe(THOUSAND);
  });

  it('is signed again and paid once when its nonce was used by another transaction', async () => {
    const walletAddress = newAddress();
    const { data } = await lostRequest(walletAddress);
    await scene.spendElsewhere();
    await Promise.all([scene.settle(), scene.settle()]);
    await scene.settle();
    const { records } = await scene.look('history', '?limit=1');
    expect(records[0]).toMatchObject({ walletAddress, status: 'completed' });
    expect(records[0].transactionHash).not.toBe(data.transactionHash);
    expect(await scene.held(walletAddress)).toBe(THOUSAND);
  });

  it('stays pending until its transaction is mined, then is settled', async () => {
    await scene.node.setAutomine(false);
    const addresses = [newAddress(), newAddress()];
    const pendingReplies = addresses.map((walletAddress, i) =>
      scene.request({ walletAddress }, i ? second : undefined),
    );
    await inPool(2);
    time.pass(LONGEST_MS);
    const replies = await Promise.all(pendingReplies);
    expect(replies.map(({ data }) => data.status)).toEqual(['pending', 'pending']);
    expect((await scene.look('status')).limits.distributedToday).toBe(
      (await scene.look('status')).statistics.totalRequests * 1000 + '.00', // includes pending payouts
    );
    await scene.node.mine({ blocks: 1 });
    await scene.settle();
    for (const address of addresses) {
      expect(await statusOf(address)).toBe('completed');
      expect(await scene.held(address)).toBe(THOUSAND);
    }
  });

  it('fails when the transaction is reverted, and the address may request again', async () => {
    const held = await scene.held(scene.address);
    await scene.node.setAutomine(false);
    const walletAddress = newAddress();
    const pendingReplies = scene.request({ walletAddress });
    await inPool(1); // now the faucet loses its balance
    await setHeld(0n);
    await scene.node.mine({ blocks: 1 });
    expect((await pendingReplies).data).toMatchObject({
      status: 'failed',
      nextAllowedRequest: (await pendingReplies).data.timestamp,
    });
    await setHeld(held);
    await scene.node.setAutomine(true);
    expect((await scene.request({ walletAddress })).data.status).toBe('completed');
    expect(await scene.held(walletAddress)).toBe(THOUSAND);
  });

  /** Slot 1 of the token contract holds the balances. */
  async function setHeld(amount: bigint): Promise<void> {
    const index = keccak256(
      encodeAbiParameters([{ type: 'address' }, { type: 'uint256' }], [scene.address, 1n]),
    );
    const value = pad(`0x${amount.toString(16)}`, { size: 32 });
    await scene.node.setStorageAt({ address: scene.platform.outside.chain.usdcAddress, index, value });
  }

  it('uses the nonce of a chain that was reset', async () => {
    const id = await scene.node.snapshot();
    for (let i = 0; i < 3; i++) await scene.request({ walletAddress: newAddress() });
    await scene.node.revert({ id });
    const walletAddress = newAddress();
    expect((await scene.request({ walletAddress })).data.status).toBe('completed');
    expect(await scene.held(walletAddress)).toBe(THOUSAND);
  });

  it.each(['error', 'drop', 'timeout'] as const)(
    'is rejected with 503 while the node is unavailable (%s), and no allowance is used up',
    async (mode) => {
      const walletAddress = newAddress();
      const before = await scene.payouts();
      scene.faults.set('chain', mode);
      const replies = await Promise.all([
        scene.request({ walletAddress }),
        scene.platform.as(null).get('/api/faucet/status'),
        scene.platform.as(null).get('/api/faucet/balance'),
      ]);
      for (const reply of replies) expect(reply).toMatchObject({ status: 503, code: 'BLOCKCHAIN_ERROR' });
      expect(await scene.payouts()).toEqual(before);
      await scene.platform.outside.providers.endFault('chain');
      expect((await scene.request({ walletAddress })).status).toBe(200);
    },
  );

  it('holds no database connection while it waits for the chain', async () => {
    await scene.node.setAutomine(false);
    let answered = 0;
    const pendingReplies = Array.from({ length: 6 }, () =>
      scene.request({ walletAddress: newAddress() }, second).finally(() => (answered += 1)),
    );
    await inPool(pendingReplies.length);
    expect((await scene.platform.as(null, second).get('/api/faucet/history')).status).toBe(200);
    expect(answered).toBe(0); // the six waiting requests use neither of the two connections
    await scene.node.mine({ blocks: 1 });
    for (const reply of await Promise.all(pendingReplies)) expect(reply.data.status).toBe('completed');
  });
});
