import {
  createTestClient,
  createWalletClient,
  http,
  parseEther,
  parseUnits,
  publicActions,
  type Address,
  type Hash,
} from 'viem';
import { anvil } from 'viem/chains';
import type { RunningChain } from '../../src/sandbox/chain.js';
import { TEST_USDC_ABI, testUsdcBytecode } from '../../src/sandbox/test-usdc.js';

/** What only a test does to the node: foreign tokens, ether, reverted transactions, reorganisations. */
export class ChainTricks {
  private readonly wallet;
  private readonly node;

  constructor(private readonly chain: RunningChain) {
    const settings = { chain: anvil, transport: http(chain.rpcUrl), pollingInterval: 20, cacheTime: 0 };
    this.wallet = createWalletClient({ ...settings, account: chain.treasuryAddress });
    this.node = createTestClient({ ...settings, mode: 'anvil' }).extend(publicActions);
  }

  async payEther(to: Address, amount: string): Promise<Hash> {
    return this.mined(await this.wallet.sendTransaction({ to, value: parseEther(amount) }));
  }

  /** A token that looks like USDC and is none. */
  async payFalseToken(to: Address, amount: string): Promise<Hash> {
    const deployed = await this.mined(
      await this.wallet.deployContract({ abi: TEST_USDC_ABI, bytecode: testUsdcBytecode() }),
    );
    const { contractAddress } = await this.node.getTransactionReceipt({ hash: deployed });
    const call = {
      address: contractAddress as Address,
      abi: TEST_USDC_ABI,
      functionName: 'mint',
      args: [to, parseUnits(amount, 6)],
    } as const;
    return this.mined(await this.wallet.writeContract(call));
  }

  /** A transfer of USDC that the chain reverts: its sender holds none. */
  async payReverted(to: Address, amount: string): Promise<Hash> {
    const [, , poor] = await this.wallet.getAddresses();
    const call = {
      address: this.chain.usdcAddress,
      abi: TEST_USDC_ABI,
      functionName: 'transfer',
      args: [to, parseUnits(amount, 6)],
    } as const;
    return this.mined(await this.wallet.writeContract({ ...call, account: poor as Address, gas: 100_000n }));
  }

  /** Takes back whatever `work` does to the chain, as a reorganisation does; the function sends its transaction again. */
  async reorganisation(work: () => Promise<Hash>): Promise<() => Promise<void>> {
    const id = await this.node.snapshot();
    const hash = await work();
    const raw = (await this.node.request({
      method: 'eth_getRawTransactionByHash' as never,
      params: [hash] as never,
    })) as Hash;
    await this.node.revert({ id });
    return async () => {
      await this.mined(await this.node.sendRawTransaction({ serializedTransaction: raw }));
    };
  }

  private async mined(hash: Hash): Promise<Hash> {
    await this.node.waitForTransactionReceipt({ hash });
    return hash;
  }
}
