import { Injectable, Logger } from '@nestjs/common';
import {
  compactSignatureToSignature,
  createPublicClient,
  erc20Abi,
  formatEther,
  formatGwei,
  formatUnits,
  getAddress,
  http,
  parseCompactSignature,
  recoverMessageAddress,
  size,
  TransactionNotFoundError,
  TransactionReceiptNotFoundError,
  type Address,
  type Hash,
  type Hex,
  type PublicClient,
} from 'viem';
import { AppConfig } from '../../../config/app-config.js';
import { httpAddress } from '../../../common/http-address.js';
import { MICRO_SCALE, Money } from '../../../common/money.js';
import { withClientSpan } from '../../../observability/spans.js';
import { fetchInTrace } from '../../../observability/tracing/trace.js';
import {
  failOnNodeError,
  ChainClient,
  type ChainBalances,
  type ChainHead,
  type ChainState,
  type ChainTransaction,
  type FoundTransfer,
} from './chain.client.js';
import { ContractWalletClient } from './contract-wallet.client.js';
import {
  blockOf,
  minedFieldsOf,
  PENDING,
  successOf,
  transfersIn,
  type NodeReceipt,
} from './domain/receipt.js';
import { NodeCapabilities, type NodeCapability, NodePriorityService } from './node-state.service.js';

const TIMEOUT_MS = 3000;
const HEAD_TIMEOUT_MS = 2000;
/** Longest wait for an answer without which a response is still complete, such as the gas price (`readIfProvided`). */
const INFORMATION_TIMEOUT_MS = 700;
const RETRIES = 1;
const RETRY_DELAY_MS = 100;

const COMPACT_SIGNATURE_SIZE = 64;

/** No caching, and no requests to URLs that a contract names (EIP-3668). */
const CLIENT_OPTIONS = { cacheTime: 0, ccipRead: false } as const;

/** How long a client waits for the node, in milliseconds, and how often it asks again. */
interface Patience {
  readonly timeout: number;
  readonly retryCount: number;
  readonly retryDelay?: number;
}

@Injectable()
export class ViemChainClient extends ChainClient {
  private readonly log = new Logger('ChainClient');
  private readonly client: PublicClient;
  private readonly contractWallets: ContractWalletClient;
  private readonly headClient: PublicClient;
  private readonly informationClient: PublicClient;
  private readonly usdc: `0x${string}`;

  constructor(
    config: AppConfig,
    private readonly nodePriority: NodePriorityService,
    private readonly capabilities: NodeCapabilities,
  ) {
    super();
    this.usdc = config.USDC_CONTRACT_ADDRESS;
    const { url, headers } = httpAddress(config.RPC_URL);
    const transportWith = (patience: Patience) =>
      http(url, { fetchOptions: { headers }, fetchFn: fetchInTrace, ...patience });
    const clientWith = (patience: Patience) =>
      createPublicClient({ transport: transportWith(patience), ...CLIENT_OPTIONS });
    const patient = { timeout: TIMEOUT_MS, retryCount: RETRIES, retryDelay: RETRY_DELAY_MS };
    this.client = clientWith(patient);
    this.contractWallets = new ContractWalletClient(transportWith(patient));
    this.headClient = clientWith({ timeout: HEAD_TIMEOUT_MS, retryCount: 0 });
    this.informationClient = clientWith({ timeout: INFORMATION_TIMEOUT_MS, retryCount: 0 });
  }

  async transaction(hash: string): Promise<ChainTransaction | undefined> {
    return this.askNode(() => this.readTransaction(hash as Hash));
  }

  async blockTime(blockNumber: number): Promise<Date | null> {
    return this.askNode(async () => {
      const block = await this.client.getBlock({ blockNumber: BigInt(blockNumber) });
      return this.timeOf(block);
    });
  }

  async transfersTo(
    addresses: readonly string[],
    fromBlock: number,
    toBlock: number,
  ): Promise<FoundTransfer[]> {
    const filter = {
      address: this.usdc,
      abi: erc20Abi,
      eventName: 'Transfer',
      args: { to: addresses.map((address) => getAddress(address.toLowerCase())) },
      fromBlock: BigInt(fromBlock),
      toBlock: BigInt(toBlock),
      strict: true,
    } as const;
    const events = await this.askNode(() => this.client.getContractEvents(filter));
    return events.map(({ transactionHash, blockNumber, args }) => ({
      hash: transactionHash,
      blockNumber: Number(blockNumber),
      from: args.from,
      to: args.to,
      amount: Money.of(formatUnits(args.value, MICRO_SCALE)),
    }));
  }

  async newestBlock(): Promise<number> {
    return this.askNode(() => this.client.getBlockNumber().then(Number));
  }

  async state(): Promise<ChainState> {
    return this.askNode(async () => {
      const chainId = await this.client.getChainId();
      const [blockNumber, isSyncing] = await Promise.all([this.client.getBlockNumber(), this.readSyncing()]);
      return { chainId, blockNumber: Number(blockNumber), isSyncing, missing: this.capabilities.missing };
    });
  }

  async head(): Promise<ChainHead> {
    return this.askNode(() => this.readHead());
  }

  async balances(addresses: readonly string[], atBlock?: number): Promise<ChainBalances[]> {
    return this.askNode(() =>
      Promise.all(addresses.map((address) => this.balancesOf(getAddress(address), atBlock))),
    );
  }

  async isSignedBy(address: string, text: string, signature: string): Promise<boolean> {
    const account = getAddress(address);
    if ((await recoverSigner(text, signature as Hex)) === account) return true;
    return this.askNode(() => this.contractWallets.isAccepted(account, text, signature as Hex));
  }

  /** Turns every failure of the node into BLOCKCHAIN_ERROR. */
  private async askNode<Result>(read: () => Promise<Result>): Promise<Result> {
    return withClientSpan('chain', () => this.nodePriority.runPlatformRead(read)).catch(
      failOnNodeError(this.log),
    );
  }

  private async balancesOf(address: Address, atBlock?: number): Promise<ChainBalances> {
    const call = { address: this.usdc, abi: erc20Abi, functionName: 'balanceOf', args: [address] } as const;
    const block = atBlock === undefined ? {} : { blockNumber: BigInt(atBlock) };
    const [usdc, eth] = await Promise.all([
      this.client.readContract({ ...call, ...block }),
      this.client.getBalance({ address, ...block }),
    ]);
    return { usdc: Money.of(formatUnits(usdc, MICRO_SCALE)), eth: Money.of(formatEther(eth)) };
  }

  private async readHead(): Promise<ChainHead> {
    const client = this.informationClient;
    const [chainId, blockNumber, block, gasPrice, isSyncing] = await Promise.all([
      this.headClient.getChainId(),
      this.headClient.getBlockNumber(),
      client.getBlock({ blockTag: 'latest' }).catch(() => undefined),
      this.readIfProvided('eth_gasPrice', () => client.getGasPrice()),
      this.readSyncing(),
    ]);
    return {
      chainId,
      blockNumber: Number(block?.number ?? blockNumber),
      blockTime: this.timeOf(block),
      gasPrice: gasPrice === null ? null : formatGwei(gasPrice),
      isSyncing,
      missing: this.capabilities.missing,
    };
  }

  /** True while the node synchronises; null if it does not say. viem has no method for eth_syncing. */
  private async readSyncing(): Promise<boolean | null> {
    return this.readIfProvided('eth_syncing', async () => {
      const progress = await this.informationClient.request<{
        Method: 'eth_syncing';
        Parameters?: undefined;
        ReturnType: unknown;
      }>({ method: 'eth_syncing' });
      if (progress === false) return false;
      return typeof progress === 'object' && progress !== null ? true : null;
    });
  }

  /** Reads what a response may lack: null if the node does not answer, so that the rest of the response does not depend on it. */
  private async readIfProvided<Result>(
    capability: NodeCapability,
    read: () => Promise<Result | null>,
  ): Promise<Result | null> {
    const result = await read().catch(() => null);
    this.capabilities.record(capability, result !== null);
    return result;
  }

  /** Null for a block without a time. Block times are seconds since 1970. */
  private timeOf(block: { readonly timestamp?: bigint } | undefined): Date | null {
    const timestamp = block?.timestamp;
    this.capabilities.record('block time', timestamp !== undefined);
    return timestamp === undefined ? null : new Date(Number(timestamp) * 1000);
  }

  private async readTransaction(hash: Hash): Promise<ChainTransaction | undefined> {
    const transaction = await this.client
      .getTransaction({ hash })
      .catch(undefinedOn(TransactionNotFoundError));
    if (!transaction) return undefined;
    const receipt = await this.client
      .getTransactionReceipt({ hash })
      .catch(undefinedOn(TransactionReceiptNotFoundError));
    const { from, to, value } = transaction;
    const ether =
      to && value > 0n
        ? { from: getAddress(from), to: getAddress(to), amount: Money.of(formatEther(value)) }
        : undefined;
    const mined = receipt && (await this.readMinedFields(receipt, blockOf(receipt, transaction)));
    return { hash, ...(mined ?? PENDING), ...(ether ? { ether } : {}) };
  }

  /** Undefined for the receipt of a transaction that is not in a block. */
  private async readMinedFields(
    receipt: NodeReceipt,
    block: bigint | null,
  ): Promise<Omit<ChainTransaction, 'hash' | 'ether'> | undefined> {
    if (block === null) return undefined;
    const mined = minedFieldsOf(receipt, block, await this.client.getBlockNumber());
    this.capabilities.record('gas of receipts', mined.gasUsed !== null && mined.gasPrice !== null);
    this.capabilities.record('status of receipts', receipt.status !== null && receipt.status !== undefined);
    return { succeeded: successOf(receipt), ...mined, transfers: transfersIn(receipt, this.usdc) };
  }
}

/** Turns the error that means "not found" into undefined. */
function undefinedOn(notFoundError: abstract new (...args: never[]) => Error): (error: unknown) => undefined {
  return (error) => {
    if (error instanceof notFoundError) return undefined;
    throw error;
  };
}

/** The address whose key has signed the text, also with a compact signature (EIP-2098); undefined for any other signature. */
async function recoverSigner(message: string, signature: Hex): Promise<Address | undefined> {
  try {
    const full =
      size(signature) === COMPACT_SIGNATURE_SIZE
        ? compactSignatureToSignature(parseCompactSignature(signature))
        : signature;
    return await recoverMessageAddress({ message, signature: full });
  } catch {
    return undefined;
  }
}
