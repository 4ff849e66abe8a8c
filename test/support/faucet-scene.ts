import { createTestClient, createWalletClient, http, parseUnits, publicActions, type Address } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { ANVIL_CHAIN } from '../../src/sandbox/anvil-chain.js';
import { TEST_USDC_ABI } from '../../src/sandbox/test-usdc.js';
import { PayoutDelivery } from '../../src/modules/faucet/payout-delivery.js';
import { PayoutTimer } from '../../src/modules/faucet/payout-timer.js';
import type { Reply } from './caller.js';
import { startPlatform, type TestPlatform } from './platform.js';

export const newAddress = (): Address => privateKeyToAccount(generatePrivateKey()).address;

/** A platform whose faucet pays from an account of its own, and the node that it pays on. */
export class FaucetScene {
  readonly node;

  private constructor(
    readonly platform: TestPlatform,
    readonly key: `0x${string}`,
  ) {
    const transport = http(platform.outside.chain.rpcUrl);
    const settings = { chain: ANVIL_CHAIN, transport, pollingInterval: 20, cacheTime: 0 };
    this.node = createTestClient({ ...settings, mode: 'anvil' }).extend(publicActions);
  }

  /** `usdc` and `eth` are what the faucet begins with. */
  static async start({ usdc = '1000000', eth = '10', settings = {} } = {}): Promise<FaucetScene> {
    const key = generatePrivateKey();
    const platform = await startPlatform({ settings: { FAUCET_PRIVATE_KEY: key, ...settings } });
    const scene = new FaucetScene(platform, key);
    await scene.node.setBalance({ address: scene.address, value: parseUnits(eth, 18) });
    if (usdc !== '0') await platform.outside.chain.payUsdc(scene.address, usdc);
    return scene;
  }

  get address(): Address {
    return privateKeyToAccount(this.key).address;
  }

  get faults() {
    return this.platform.outside.providers.faults;
  }

  stop = (): Promise<void> => this.platform.stop();

  request = (body: unknown, at?: string): Promise<Reply> =>
    this.platform.as(null, at).post('/api/faucet/request', body);

  look = async (what: 'status' | 'balance' | 'history', query = ''): Promise<any> => {
    const reply = await this.platform.as(null).get(`/api/faucet/${what}${query}`);
    expect(reply.status).toBe(200);
    return reply.data;
  };

  /** In millionths. */
  held = (holder: string): Promise<bigint> => this.platform.outside.chain.usdcBalance(holder as Address);

  /** From here on payouts are settled by their requests, and by `settle`. */
  stopTimer = (): Promise<void> => this.platform.app.get(PayoutTimer).onModuleDestroy();

  settle = (): Promise<void> => this.platform.app.get(PayoutDelivery).settle();

  /** Somebody else uses the faucet's account. */
  async spendElsewhere(): Promise<void> {
    const account = privateKeyToAccount(this.key);
    const wallet = createWalletClient({
      chain: ANVIL_CHAIN,
      transport: http(this.platform.outside.chain.rpcUrl),
      account,
    });
    const call = {
      address: this.platform.outside.chain.usdcAddress,
      abi: TEST_USDC_ABI,
      functionName: 'transfer',
      args: [newAddress(), 1n],
    } as const;
    await this.node.waitForTransactionReceipt({ hash: await wallet.writeContract(call) });
  }

  payouts = (): Promise<{ status: string; tx_hash: string; nonce: string; wallet_address: string }[]> =>
    this.platform.dataSource.query('select * from faucet_payout order by requested_at, id');
}
