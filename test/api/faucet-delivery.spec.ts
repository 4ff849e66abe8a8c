import { encodeAbiParameters, keccak256, pad } from 'viem';
import type { Reply } from '../harness/http-client.js';
import { eventually } from '../harness/eventually.js';
import { FaucetScenario, newAddress } from '../fixtures/faucet-scenario.js';
import { startReplica } from '../harness/replica.js';
import { RpcFilter } from '../harness/rpc-filter.js';
import { freezeTime } from '../harness/skip-time.js';

// What becomes of a payout when much happens at once, or something between us and the chain goes wrong: an address
// is paid once, whatever happens, and what is owed is paid.

const THOUSAND = 1_000_000_000n;
const SEND = 'eth_sendRawTransaction';
const LONGEST_MS = 6001; // that a request waits for its payout

describe('A payout', () => {
  let scenario: FaucetScenario;
  let filter: RpcFilter;
  let second: string;
  let time: ReturnType<typeof freezeTime>; // a payout is waited for until the test says that this was long enough

  beforeAll(async () => {
    scenario = await FaucetScenario.start();
    await scenario.stopPayoutJob(); // and the other replica's can send only what the filter lets pass
    filter = await RpcFilter.startFor(scenario.platform.outside.chain.rpcUrl);
    second = await startReplica(scenario.platform, { RPC_URL: filter.url, DATABASE_POOL_SIZE: 2 });
    time = freezeTime();
  });
  afterEach(async () => {
    filter.passAllCalls();
    await scenario.platform.outside.providers.endFault('chain');
    await scenario.node.setAutomine(true);
  });
  afterAll(async () => {
    await scenario.stop();
    await filter.stop();
  });

  const statusOf = async (walletAddress: string) => {
    const { records } = await scenario.read('history', '?limit=100');
    return records.find((record: { walletAddress: string }) => record.walletAddress === walletAddress).status;
  };
  const inPool = (count: number) =>
    eventually(async () => expect((await scenario.node.getTxpoolStatus()).pending).toBe(count));
  /** Asks the second replica, whose transaction is lost on its way, for as long as that is waited for. */
  const lostRequest = async (walletAddress: string): Promise<Reply> => {
    const before = filter.lostCalls;
    filter.loseCalls('question', SEND);
    const asked = scenario.request({ walletAddress }, second);
    await eventually(async () => expect(filter.lostCalls).toBeGreaterThan(before));
    time.advance(LONGEST_MS);
    return asked;
  };
  const codes = (replies: Reply[]) => replies.map(({ status, code }) => code ?? String(status)).sort();

  it('is made once of many requests at once, on two replicas, however the address is written', async () => {
    for (let round = 0; round < 5; round++) {
      const address = newAddress();
      const written = [address, address.toLowerCase(), `0x${address.slice(2).toUpperCase()}`, address];
      const replies = await Promise.all(
        written.flatMap((walletAddress) => [
          scenario.request({ walletAddress }),
          scenario.request({ walletAddress }, second),
        ]),
      );
      expect(codes(replies)).toEqual(['200', ...Array<string>(7).fill('RATE_LIMIT_EXCEEDED')]);
      expect(await scenario.usdcBalance(address)).toBe(THOUSAND);
    }
  });

  it('is made to each of many addresses at once, on two replicas, each with a nonce of its own', async () => {
    const before = await scenario.node.getTransactionCount({ address: scenario.address });
    const addresses = Array.from({ length: 30 }, newAddress);
    const replies = await Promise.all(
      addresses.map((walletAddress, i) => scenario.request({ walletAddress }, i % 2 ? second : undefined)),
    );
    expect(replies.map(({ status }) => status)).toEqual(addresses.map(() => 200));
    await eventually(async () => {
      await scenario.settlePayouts(); // what a busy machine had no time for while its request waited
      expect((await scenario.payouts()).filter(({ status }) => status !== 'completed')).toEqual([]);
    });
    for (const address of addresses) expect(await scenario.usdcBalance(address)).toBe(THOUSAND);
    const nonces = (await scenario.payouts()).map(({ nonce }) => Number(nonce)).sort((a, b) => a - b);
    expect(nonces.slice(-30)).toEqual(addresses.map((_, i) => before + i)); // no gap, none twice
    expect(new Set(replies.map(({ data }) => data.transactionHash)).size).toBe(30);
  });

  it('that the node has taken is completed although its answer was lost', async () => {
    filter.loseCalls('answer', SEND);
    const walletAddress = newAddress();
    expect((await scenario.request({ walletAddress }, second)).data).toMatchObject({ status: 'completed' });
    expect(await scenario.usdcBalance(walletAddress)).toBe(THOUSAND);
  });

  it('that never reached the node is pending, is not made again, and is sent by whoever comes next', async () => {
    const walletAddress = newAddress();
    const { data } = await lostRequest(walletAddress);
    expect(data).toMatchObject({
      ...{ status: 'pending', confirmations: 0 },
      ...{ blockNumber: null, gasUsed: null, gasCost: null },
    });
    expect(await scenario.usdcBalance(walletAddress)).toBe(0n);
    expect((await scenario.request({ walletAddress })).code).toBe('RATE_LIMIT_EXCEEDED');
    await scenario.settlePayouts(); // sends it
    await scenario.settlePayouts(); // looks it up
    expect(await statusOf(walletAddress)).toBe('completed');
    expect(await scenario.usdcBalance(walletAddress)).toBe(THOUSAND);
    await scenario.settlePayouts();
    expect(await scenario.usdcBalance(walletAddress)).toBe(THOUSAND);
  });

  it('whose nonce went to somebody else is signed again, and paid once', async () => {
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

  it('is pending until a block has it, and settled then', async () => {
    await scenario.node.setAutomine(false);
    const addresses = [newAddress(), newAddress()];
    const asked = addresses.map((walletAddress, i) =>
      scenario.request({ walletAddress }, i ? second : undefined),
    );
    await inPool(2);
    time.advance(LONGEST_MS);
    const replies = await Promise.all(asked);
    expect(replies.map(({ data }) => data.status)).toEqual(['pending', 'pending']);
    expect((await scenario.read('status')).limits.distributedToday).toBe(
      (await scenario.read('status')).statistics.totalRequests * 1000 + '.00', // with the pending ones
    );
    await scenario.node.mine({ blocks: 1 });
    await scenario.settlePayouts();
    for (const address of addresses) {
      expect(await statusOf(address)).toBe('completed');
      expect(await scenario.usdcBalance(address)).toBe(THOUSAND);
    }
  });

  it('that the chain reverts is failed, and the address may ask again', async () => {
    const held = await scenario.usdcBalance(scenario.address);
    await scenario.node.setAutomine(false);
    const walletAddress = newAddress();
    const asked = scenario.request({ walletAddress });
    await inPool(1); // and now the faucet loses all that it has
    await setHeld(0n);
    await scenario.node.mine({ blocks: 1 });
    expect((await asked).data).toMatchObject({
      status: 'failed',
      nextAllowedRequest: (await asked).data.timestamp,
    });
    await setHeld(held);
    await scenario.node.setAutomine(true);
    expect((await scenario.request({ walletAddress })).data.status).toBe('completed');
    expect(await scenario.usdcBalance(walletAddress)).toBe(THOUSAND);
  });

  /** Slot 1 of the token is its balances. */
  async function setHeld(amount: bigint): Promise<void> {
    const index = keccak256(
      encodeAbiParameters([{ type: 'address' }, { type: 'uint256' }], [scenario.address, 1n]),
    );
    const value = pad(`0x${amount.toString(16)}`, { size: 32 });
    await scenario.node.setStorageAt({ address: scenario.platform.outside.chain.usdcAddress, index, value });
  }

  it('finds its nonce on a chain that was set back', async () => {
    const id = await scenario.node.snapshot();
    for (let i = 0; i < 3; i++) await scenario.request({ walletAddress: newAddress() });
    await scenario.node.revert({ id });
    const walletAddress = newAddress();
    expect((await scenario.request({ walletAddress })).data.status).toBe('completed');
    expect(await scenario.usdcBalance(walletAddress)).toBe(THOUSAND);
  });

  it.each(['error', 'drop', 'timeout'] as const)(
    'is not begun while the node is away (%s): 503, and nothing used up',
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

  it('holds no connection to the database while it waits for the chain', async () => {
    await scenario.node.setAutomine(false);
    let answered = 0;
    const asked = Array.from({ length: 6 }, () =>
      scenario.request({ walletAddress: newAddress() }, second).finally(() => (answered += 1)),
    );
    await inPool(asked.length);
    expect((await scenario.platform.as(null, second).get('/api/faucet/history')).status).toBe(200);
    expect(answered).toBe(0); // of two connections, six requests hold none
    await scenario.node.mine({ blocks: 1 });
    for (const reply of await Promise.all(asked)) expect(reply.data.status).toBe('completed');
  });
});
