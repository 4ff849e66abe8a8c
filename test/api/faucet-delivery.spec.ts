import { encodeAbiParameters, keccak256, pad } from 'viem';
import type { Reply } from '../harness/http-client.js';
import { eventually } from '../harness/eventually.js';
import { FaucetScene, newAddress } from '../fixtures/faucet-scene.js';
import { startReplica } from '../harness/replica.js';
import { RpcFilter } from '../harness/rpc-filter.js';
import { stopTime } from '../harness/skip-time.js';

// Concurrent requests and failures between the service and the chain: an address is paid exactly once.

const THOUSAND = 1_000_000_000n;
const SEND = 'eth_sendRawTransaction';
const LONGEST_MS = 6001; // the longest wait of a request for its payout

describe('faucet payout', () => {
  let scene: FaucetScene;
  let filter: RpcFilter;
  let second: string;
  let time: ReturnType<typeof stopTime>; // the test decides when the wait of a request ends

  beforeAll(async () => {
    scene = await FaucetScene.start();
    await scene.stopTimer(); // the job of the other replica can send only what the filter passes
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
    const { records } = await scene.read('history', '?limit=100');
    return records.find((record: { walletAddress: string }) => record.walletAddress === walletAddress).status;
  };
  const inPool = (count: number) =>
    eventually(async () => expect((await scene.node.getTxpoolStatus()).pending).toBe(count));
  /** Requests a payout from the second replica, whose transaction never reaches the node. */
  const lostRequest = async (walletAddress: string): Promise<Reply> => {
    const before = filter.losses;
    filter.lose('question', SEND);
    const asked = scene.request({ walletAddress }, second);
    await eventually(async () => expect(filter.losses).toBeGreaterThan(before));
    time.pass(LONGEST_MS);
    return asked;
  };
  const codes = (replies: Reply[]) => replies.map(({ status, code }) => code ?? String(status)).sort();

  it('is made once for concurrent requests on two replicas, regardless of the letter case of the address', async () => {
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

  it('is made to each address of concurrent requests on two replicas, with distinct nonces', async () => {
    const before = await scene.node.getTransactionCount({ address: scene.address });
    const addresses = Array.from({ length: 30 }, newAddress);
    const replies = await Promise.all(
      addresses.map((walletAddress, i) => scene.request({ walletAddress }, i % 2 ? second : undefined)),
    );
    expect(replies.map(({ status }) => status)).toEqual(addresses.map(() => 200));
    await eventually(async () => {
      await scene.settle(); // payouts that a busy machine could not settle while their requests waited
      expect((await scene.payouts()).filter(({ status }) => status !== 'completed')).toEqual([]);
    });
    for (const address of addresses) expect(await scene.held(address)).toBe(THOUSAND);
    const nonces = (await scene.payouts()).map(({ nonce }) => Number(nonce)).sort((a, b) => a - b);
    expect(nonces.slice(-30)).toEqual(addresses.map((_, i) => before + i)); // no gap, none twice
    expect(new Set(replies.map(({ data }) => data.transactionHash)).size).toBe(30);
  });

  it('is completed if the node accepted it and only the response was lost', async () => {
    filter.lose('answer', SEND);
    const walletAddress = newAddress();
    expect((await scene.request({ walletAddress }, second)).data).toMatchObject({ status: 'completed' });
    expect(await scene.held(walletAddress)).toBe(THOUSAND);
  });

  it('stays pending if it never reached the node, is not repeated, and is sent by the job', async () => {
    const walletAddress = newAddress();
    const { data } = await lostRequest(walletAddress);
    expect(data).toMatchObject({
      ...{ status: 'pending', confirmations: 0 },
      ...{ blockNumber: null, gasUsed: null, gasCost: null },
    });
    expect(await scene.held(walletAddress)).toBe(0n);
    expect((await scene.request({ walletAddress })).code).toBe('RATE_LIMIT_EXCEEDED');
    await scene.settle(); // sends it
    await scene.settle(); // finds its block
    expect(await statusOf(walletAddress)).toBe('completed');
    expect(await scene.held(walletAddress)).toBe(THOUSAND);
    await scene.settle();
    expect(await scene.held(walletAddress)).toBe(THOUSAND);
  });

  it('is signed again and paid once if another transaction has used its nonce', async () => {
    const walletAddress = newAddress();
    const { data } = await lostRequest(walletAddress);
    await scene.spendElsewhere();
    await Promise.all([scene.settle(), scene.settle()]);
    await scene.settle();
    const { records } = await scene.read('history', '?limit=1');
    expect(records[0]).toMatchObject({ walletAddress, status: 'completed' });
    expect(records[0].transactionHash).not.toBe(data.transactionHash);
    expect(await scene.held(walletAddress)).toBe(THOUSAND);
  });

  it('is pending until it is mined and is settled then', async () => {
    await scene.node.setAutomine(false);
    const addresses = [newAddress(), newAddress()];
    const asked = addresses.map((walletAddress, i) =>
      scene.request({ walletAddress }, i ? second : undefined),
    );
    await inPool(2);
    time.pass(LONGEST_MS);
    const replies = await Promise.all(asked);
    expect(replies.map(({ data }) => data.status)).toEqual(['pending', 'pending']);
    expect((await scene.read('status')).limits.distributedToday).toBe(
      (await scene.read('status')).statistics.totalRequests * 1000 + '.00', // including pending payouts
    );
    await scene.node.mine({ blocks: 1 });
    await scene.settle();
    for (const address of addresses) {
      expect(await statusOf(address)).toBe('completed');
      expect(await scene.held(address)).toBe(THOUSAND);
    }
  });

  it('fails if the chain reverts it, and the address may request again', async () => {
    const held = await scene.held(scene.address);
    await scene.node.setAutomine(false);
    const walletAddress = newAddress();
    const asked = scene.request({ walletAddress });
    await inPool(1); // then the faucet loses its whole balance
    await setHeld(0n);
    await scene.node.mine({ blocks: 1 });
    expect((await asked).data).toMatchObject({
      status: 'failed',
      nextAllowedRequest: (await asked).data.timestamp,
    });
    await setHeld(held);
    await scene.node.setAutomine(true);
    expect((await scene.request({ walletAddress })).data.status).toBe('completed');
    expect(await scene.held(walletAddress)).toBe(THOUSAND);
  });

  /** Storage slot 1 of the token contains the balances. */
  async function setHeld(amount: bigint): Promise<void> {
    const index = keccak256(
      encodeAbiParameters([{ type: 'address' }, { type: 'uint256' }], [scene.address, 1n]),
    );
    const value = pad(`0x${amount.toString(16)}`, { size: 32 });
    await scene.node.setStorageAt({ address: scene.platform.outside.chain.usdcAddress, index, value });
  }

  it('uses the right nonce on a chain that was set back', async () => {
    const id = await scene.node.snapshot();
    for (let i = 0; i < 3; i++) await scene.request({ walletAddress: newAddress() });
    await scene.node.revert({ id });
    const walletAddress = newAddress();
    expect((await scene.request({ walletAddress })).data.status).toBe('completed');
    expect(await scene.held(walletAddress)).toBe(THOUSAND);
  });

  it.each(['error', 'drop', 'timeout'] as const)(
    'is refused with 503 and without a cooldown if the node does not answer (%s)',
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
    const asked = Array.from({ length: 6 }, () =>
      scene.request({ walletAddress: newAddress() }, second).finally(() => (answered += 1)),
    );
    await inPool(asked.length);
    expect((await scene.platform.as(null, second).get('/api/faucet/history')).status).toBe(200);
    expect(answered).toBe(0); // six requests hold none of the two connections
    await scene.node.mine({ blocks: 1 });
    for (const reply of await Promise.all(asked)) expect(reply.data.status).toBe('completed');
  });
});
