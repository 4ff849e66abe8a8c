import { Injectable, Logger } from '@nestjs/common';
import {
  createPublicClient,
  defineChain,
  encodeFunctionData,
  erc20Abi,
  formatEther,
  formatUnits,
  getAddress,
  http,
  keccak256,
  parseUnits,
  type Address,
  type Hex,
  type PublicClient,
} from 'viem';
import { privateKeyToAccount, type PrivateKeyAccount } from 'viem/accounts';
import { AppConfig } from '../../config/app-config.js';
import { fail } from '../../common/errors/domain-error.js';
import { MICRO_SCALE, Money } from '../../common/money.js';

const TIMEOUT_MS = 3000;
// A transfer of USDC itself costs about 65,000 to a new holder.
const GAS = 120_000n;
// Good for a while even where blocks are full: the fee of a block rises by an eighth at most.
const BASE_FEE_MULTIPLIER = 2;
const REFILL_BLOCKS = 10_000n;

/** What the account has, and what its next transaction has to know. */
export interface Funds {
  readonly usdc: Money;
  /** In ETH. */
  readonly eth: Money;
  /** Transactions of the account that are mined. */
  readonly count: number;
  /** Per gas, in wei. */
  readonly fees: { readonly maxFeePerGas: bigint; readonly maxPriorityFeePerGas: bigint };
  /** What the gas of a transfer costs at most, in ETH. */
  readonly gasCost: Money;
}

export interface SignedTransfer {
  readonly nonce: number;
  readonly txHash: Hex;
  readonly signedTransaction: Hex;
}

export interface Refill {
  readonly amount: Money;
  readonly at: Date;
  readonly txHash: string;
}

/** The faucet's account on chain: its key, what it holds, and what it sends. In production there is none. */
@Injectable()
export class FaucetAccount {
  private readonly log = new Logger('Faucet');
  private readonly client: PublicClient;
  private readonly account: PrivateKeyAccount | undefined;
  readonly contract: Address;

  constructor(private readonly config: AppConfig) {
    const key = config.isProduction ? undefined : config.FAUCET_PRIVATE_KEY;
    this.account = key && privateKeyToAccount(key);
    this.contract = getAddress(config.USDC_CONTRACT_ADDRESS.toLowerCase());
    this.client = createPublicClient({
      chain: defineChain({
        id: config.CHAIN_ID,
        name: 'configured',
        nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
        rpcUrls: { default: { http: [config.RPC_URL] } },
        fees: { baseFeeMultiplier: BASE_FEE_MULTIPLIER },
      }),
      transport: http(config.RPC_URL, { timeout: TIMEOUT_MS, retryCount: 0 }),
      cacheTime: 0,
      ccipRead: false,
    });
  }

  get isOpen(): boolean {
    return this.account !== undefined;
  }

  /** Throws FAUCET_DISABLED. */
  get address(): Address {
    return this.key.address;
  }

  /** Throws BLOCKCHAIN_ERROR. */
  async funds(): Promise<Funds> {
    const { address } = this;
    const call = {
      address: this.contract,
      abi: erc20Abi,
      functionName: 'balanceOf',
      args: [address],
    } as const;
    const [usdc, eth, count, fees] = await this.asked(
      Promise.all([
        this.client.readContract(call),
        this.client.getBalance({ address }),
        this.client.getTransactionCount({ address }),
        this.client.estimateFeesPerGas(),
      ]),
    );
    return {
      usdc: Money.of(formatUnits(usdc, MICRO_SCALE)),
      eth: Money.of(formatEther(eth)),
      count,
      fees,
      gasCost: Money.of(formatEther(fees.maxFeePerGas * GAS)),
    };
  }

  /** Transactions of a sender that are mined. Throws BLOCKCHAIN_ERROR. */
  async minedCount(sender: string): Promise<number> {
    return this.asked(this.client.getTransactionCount({ address: getAddress(sender) }));
  }

  /** Signs a transfer of USDC; sends nothing and asks nobody. */
  async sign(
    { to, amount }: { to: string; amount: Money },
    nonce: number,
    { fees }: Funds,
  ): Promise<SignedTransfer> {
    const args = [getAddress(to), parseUnits(amount.toString(), MICRO_SCALE)] as const;
    const signedTransaction = await this.key.signTransaction({
      type: 'eip1559',
      chainId: this.config.CHAIN_ID,
      to: this.contract,
      data: encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args }),
      gas: GAS,
      nonce,
      maxFeePerGas: fees.maxFeePerGas,
      maxPriorityFeePerGas: fees.maxPriorityFeePerGas,
    });
    return { nonce, txHash: keccak256(signedTransaction), signedTransaction };
  }

  /** Hands a signed transaction to the node. It may have it already, or want it no more: the chain tells by and by. */
  async send(signedTransaction: string): Promise<void> {
    await this.client
      .sendRawTransaction({ serializedTransaction: signedTransaction as Hex })
      .catch((error: unknown) => this.log.warn({ msg: 'the node did not take a payout', err: error }));
  }

  /** The newest USDC that came in within the last 10,000 blocks. Throws BLOCKCHAIN_ERROR. */
  async lastRefill(): Promise<Refill | null> {
    return this.asked(this.readLastRefill());
  }

  private async readLastRefill(): Promise<Refill | null> {
    const newest = await this.client.getBlockNumber({ cacheTime: 0 });
    const logs = await this.client.getContractEvents({
      address: this.contract,
      abi: erc20Abi,
      eventName: 'Transfer',
      args: { to: this.address },
      fromBlock: newest > REFILL_BLOCKS ? newest - REFILL_BLOCKS : 0n,
      toBlock: newest,
      strict: true,
    });
    const last = logs.at(-1);
    if (!last) return null;
    const { timestamp } = await this.client.getBlock({ blockNumber: last.blockNumber });
    return {
      amount: Money.of(formatUnits(last.args.value, MICRO_SCALE)),
      at: new Date(Number(timestamp) * 1000),
      txHash: last.transactionHash,
    };
  }

  private get key(): PrivateKeyAccount {
    return this.account ?? fail('FAUCET_DISABLED');
  }

  private async asked<EnvelopedResponse>(answer: Promise<EnvelopedResponse>): Promise<EnvelopedResponse> {
    return answer.catch((error: unknown) => {
      this.log.warn({ msg: 'the node does not answer', err: error });
      return fail('BLOCKCHAIN_ERROR');
    });
  }
}
