import {
  createTestClient,
  createWalletClient,
  encodeErrorResult,
  getContractAddress,
  http,
  numberToHex,
  parseAbi,
  parseEther,
  parseUnits,
  publicActions,
  size,
  type Address,
  type Hash,
  type Hex,
} from 'viem';
import { ANVIL_CHAIN } from '../../src/sandbox/anvil-chain.js';
import type { RunningChain } from '../../src/sandbox/chain.js';
import { bytecodeOf, TEST_USDC_ABI, testUsdcBytecode } from '../../src/sandbox/test-usdc.js';

/** What only a test does to the node: foreign tokens, ether, reverted transactions, reorganisations. */
export class ChainTricks {
  private readonly wallet;
  private readonly node;

  constructor(private readonly chain: RunningChain) {
    const settings = { chain: ANVIL_CHAIN, transport: http(chain.rpcUrl), pollingInterval: 20, cacheTime: 0 };
    this.wallet = createWalletClient({ ...settings, account: chain.treasuryAddress });
    this.node = createTestClient({ ...settings, mode: 'anvil' }).extend(publicActions);
  }

  async payEther(to: Address, amount: string): Promise<Hash> {
    return this.mined(await this.wallet.sendTransaction({ to, value: parseEther(amount) }));
  }

  /** A wallet that is a contract: it accepts what its owner has signed. */
  async deployWallet(owner: Address): Promise<Address> {
    const abi = parseAbi(['constructor(address owner)']);
    const bytecode = bytecodeOf('TestWallet');
    return this.deployed(await this.wallet.deployContract({ abi, bytecode, args: [owner] }));
  }

  /** A contract that answers whatever it is asked with the question itself. */
  async deployEcho(): Promise<Address> {
    // calldatacopy(0, 0, calldatasize); return(0, calldatasize)
    return this.deployed(
      await this.wallet.sendTransaction({ data: '0x600a600c600039600a6000f3365f5f37365ff3000000' }),
    );
  }

  /** A contract that answers whatever it is asked with: look there instead (EIP-3668). */
  async deployReferrer(url: string): Promise<Address> {
    const [from] = (await this.wallet.getAddresses()) as [Address];
    const nonce = BigInt(await this.node.getTransactionCount({ address: from }));
    const referral = encodeErrorResult({
      abi: parseAbi(['error OffchainLookup(address, string[], bytes, bytes4, bytes)']),
      args: [getContractAddress({ from, nonce }), [url], '0x1234', '0x12345678', '0x'],
    });
    // Twice codecopy(0, 12, size), and what is copied: the contract, which reverts with the referral.
    const copying = (ending: 'f3' | 'fd', bytes: Hex) =>
      `0x61${numberToHex(size(bytes), { size: 2 }).slice(2)}80600c6000396000${ending}${bytes.slice(2)}` as const;
    const data = copying('f3', copying('fd', referral));
    return this.deployed(await this.wallet.sendTransaction({ data }));
  }

  /** A token that looks like USDC and is none. */
  async payFalseToken(to: Address, amount: string): Promise<Hash> {
    const call = {
      address: await this.deployed(
        await this.wallet.deployContract({ abi: TEST_USDC_ABI, bytecode: testUsdcBytecode() }),
      ),
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

  private async deployed(hash: Hash): Promise<Address> {
    const { contractAddress } = await this.node.getTransactionReceipt({ hash: await this.mined(hash) });
    return contractAddress as Address;
  }

  private async mined(hash: Hash): Promise<Hash> {
    await this.node.waitForTransactionReceipt({ hash });
    return hash;
  }
}
