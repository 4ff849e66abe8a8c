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
import { AppConfig } from '../../../config/app-config.js';
import { throwError } from '../../../common/errors/domain-error.js';
import { httpAddress } from '../../../common/http-address.js';
import { MICRO_SCALE, Money } from '../../../common/money.js';
import { fetchInTrace } from '../../../observability/tracing/trace.js';
import { failOnNodeError } from '../../providers/chain/chain.client.js';
import type { Funds, Refill, SignedTransfer } from './faucet.types.js';

const TIMEOUT_MS = 3000;
/** The gas limit of a payout. A transfer of USDC to a new holder uses about 65,000. */
const GAS_LIMIT = 120_000n;
/** Sufficient for five full blocks: each raises the base fee by at most an eighth, and (9/8)^5 is 1.8. */
const BASE_FEE_MULTIPLIER = 2;
const REFILL_BLOCKS = 10_000n;

/** Signs and sends the payouts, and reads the account that pays them, which exists only if `isOpen`. */
@Injectable()
export class FaucetAccountClient {
  private readonly log = new Logger('Faucet');
  private readonly client: PublicClient;
  private readonly account: PrivateKeyAccount | undefined;
  readonly contract: Address;

  constructor(private readonly config: AppConfig) {
    const key = config.isProduction ? undefined : config.FAUCET_PRIVATE_KEY;
    this.account = key && privateKeyToAccount(key);
    this.contract = config.USDC_CONTRACT_ADDRESS;
    const { url, headers } = httpAddress(config.RPC_URL);
    this.client = createPublicClient({
      chain: defineChain({
        id: config.CHAIN_ID,
        name: 'configured',
        nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
        rpcUrls: { default: { http: [url] } },
        fees: { baseFeeMultiplier: BASE_FEE_MULTIPLIER },
      }),
      transport: http(url, {
        fetchOptions: { headers },
        fetchFn: fetchInTrace,
        timeout: TIMEOUT_MS,
        retryCount: 0,
      }),
      cacheTime: 0,
      ccipRead: false, // no requests to URLs that a contract names (EIP-3668)
    });
  }

  /** True if there is an account: outside production, with FAUCET_PRIVATE_KEY. */
  get isOpen(): boolean {
    return this.account !== undefined;
  }

  /** Throws FAUCET_DISABLED. */
  get address(): Address {
    return this.payingAccount.address;
  }

  /** Throws BLOCKCHAIN_ERROR. */
  async readFunds(): Promise<Funds> {
    const { address } = this;
    const balanceCall = {
      address: this.contract,
      abi: erc20Abi,
      functionName: 'balanceOf',
      args: [address],
    } as const;
    const [usdc, eth, minedCount, fees] = await Promise.all([
      this.client.readContract(balanceCall),
      this.client.getBalance({ address }),
      this.client.getTransactionCount({ address }),
      this.client.estimateFeesPerGas(),
    ]).catch(failOnNodeError(this.log));
    return {
      usdc: Money.of(formatUnits(usdc, MICRO_SCALE)),
      eth: Money.of(formatEther(eth)),
      minedCount,
      fees,
      gasCost: Money.of(formatEther(fees.maxFeePerGas * GAS_LIMIT)),
    };
  }

  /** The number of mined transactions of a sender. Throws BLOCKCHAIN_ERROR. */
  async readMinedCount(sender: string): Promise<number> {
    return this.client.getTransactionCount({ address: getAddress(sender) }).catch(failOnNodeError(this.log));
  }

  /** Signs a transfer of USDC without sending it. */
  async signTransfer(
    { walletAddress, amount }: { walletAddress: string; amount: Money },
    nonce: number,
    { fees }: Funds,
  ): Promise<SignedTransfer> {
    const args = [getAddress(walletAddress), parseUnits(amount.toString(), MICRO_SCALE)] as const;
    const signedTransaction = await this.payingAccount.signTransaction({
      type: 'eip1559',
      chainId: this.config.CHAIN_ID,
      to: this.contract,
      data: encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args }),
      gas: GAS_LIMIT,
      nonce,
      maxFeePerGas: fees.maxFeePerGas,
      maxPriorityFeePerGas: fees.maxPriorityFeePerGas,
    });
    return { nonce, txHash: keccak256(signedTransaction), signedTransaction };
  }

  /** Never throws: the node may have the transaction already, and the chain shows later whether it is mined. */
  async sendTransaction(signedTransaction: string): Promise<void> {
    await this.client
      .sendRawTransaction({ serializedTransaction: signedTransaction as Hex })
      .catch((error: unknown) => this.log.warn({ msg: 'the node did not accept a payout', err: error }));
  }

  /** The newest transfer of USDC to the account within the last 10,000 blocks. Throws BLOCKCHAIN_ERROR. */
  async findLastRefill(): Promise<Refill | null> {
    return this.readLastRefill().catch(failOnNodeError(this.log));
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

  private get payingAccount(): PrivateKeyAccount {
    return this.account ?? throwError('FAUCET_DISABLED');
  }
}
