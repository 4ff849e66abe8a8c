import { Injectable, Logger } from '@nestjs/common';
import {
  BaseError,
  createPublicClient,
  encodeFunctionData,
  erc20Abi,
  ExecutionRevertedError,
  formatEther,
  formatGwei,
  formatUnits,
  getAddress,
  hashMessage,
  http,
  isAddressEqual,
  padHex,
  parseAbi,
  parseEventLogs,
  recoverMessageAddress,
  RpcRequestError,
  TransactionNotFoundError,
  TransactionReceiptNotFoundError,
  type Address,
  type Hash,
  type Hex,
  type PublicClient,
  type TransactionReceipt,
} from 'viem';
import { AppConfig } from '../../config/app-config.js';
import { MICRO_SCALE, Money } from '../../common/money.js';
import { withClientSpan } from '../../observability/spans.js';
import {
  failOnNodeError,
  ChainClient,
  type ChainBalances,
  type ChainHead,
  type ChainState,
  type ChainTransaction,
  type FoundTransfer,
  type TokenTransfer,
} from './chain.client.js';
import { NOT_MINED } from './domain/mined.js';
import { NodePriorityService } from './node-priority.service.js';

const TIMEOUT_MS = 3000;
const HEAD_TIMEOUT_MS = 2000;
const RETRIES = 1;
const RETRY_DELAY_MS = 100;

/** No caching, and no requests to URLs that a contract names (EIP-3668). */
const CLIENT_OPTIONS = { cacheTime: 0, ccipRead: false } as const;

// EIP-1271. The whole answer is compared, zeros included, so that a contract that echoes its input is not accepted.
const CONTRACT_WALLET_ABI = parseAbi([
  'function isValidSignature(bytes32 hash, bytes signature) view returns (bytes4)',
]);
const ACCEPTED = padHex('0x1626ba7e', { size: 32, dir: 'right' });
const CONTRACT_GAS = 5_000_000n; // bounds what the contract at an unknown address makes the node compute
/** How Geth, Nethermind and Anvil report that the EVM stopped a call. viem knows only reverted calls. */
const EVM_STOPPED = /out of ?gas|invalid (opcode|jump)|stack (underflow|limit)|^(EVM|VM execution) error/i;

@Injectable()
export class ViemChainClient extends ChainClient {
  private readonly log = new Logger('ChainClient');
  private readonly client: PublicClient;
  private readonly headClient: PublicClient;
  private readonly usdc: `0x${string}`;

  constructor(
    config: AppConfig,
    private readonly nodePriority: NodePriorityService,
  ) {
    super();
    this.usdc = config.USDC_CONTRACT_ADDRESS;
    this.client = createPublicClient({
      transport: http(config.RPC_URL, {
        timeout: TIMEOUT_MS,
        retryCount: RETRIES,
        retryDelay: RETRY_DELAY_MS,
      }),
      ...CLIENT_OPTIONS,
    });
    this.headClient = createPublicClient({
      transport: http(config.RPC_URL, { timeout: HEAD_TIMEOUT_MS, retryCount: 0 }),
      ...CLIENT_OPTIONS,
    });
  }

  async transaction(hash: string): Promise<ChainTransaction | undefined> {
    return this.askNode(() => this.readTransaction(hash as Hash));
  }

  async blockTime(blockNumber: number): Promise<Date> {
    return this.askNode(async () => {
      const { timestamp } = await this.client.getBlock({ blockNumber: BigInt(blockNumber) });
      return timeOf(timestamp);
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
      const [blockNumber, isSyncing] = await Promise.all([
        this.client.getBlockNumber(),
        readSyncing(this.client),
      ]);
      return { chainId, blockNumber: Number(blockNumber), isSyncing };
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
    const signer = await recoverMessageAddress({ message: text, signature: signature as Hex }).catch(
      noSigner,
    );
    if (signer === account) return true;
    return this.askNode(() => this.isAcceptedByContract(account, hashMessage(text), signature as Hex));
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
    const [chainId, block, gasPrice, isSyncing] = await Promise.all([
      this.headClient.getChainId(),
      this.headClient.getBlock({ blockTag: 'latest' }),
      this.headClient.getGasPrice(),
      readSyncing(this.headClient),
    ]);
    return {
      chainId,
      blockNumber: Number(block.number),
      blockTime: timeOf(block.timestamp),
      gasPrice: formatGwei(gasPrice),
      isSyncing,
    };
  }

  /**
   * False also for an address without a contract. viem's own verification is not used, because it treats a failure of
   * the node as a refusal by the contract.
   */
  private async isAcceptedByContract(contract: Address, hash: Hash, signature: Hex): Promise<boolean> {
    const call = encodeFunctionData({
      abi: CONTRACT_WALLET_ABI,
      functionName: 'isValidSignature',
      args: [hash, signature],
    });
    try {
      const { data } = await this.client.call({ to: contract, data: call, gas: CONTRACT_GAS });
      return data === ACCEPTED;
    } catch (error) {
      if (isRefusedByContract(error)) return false;
      throw error;
    }
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
    return {
      hash,
      ...(receipt ? await this.readMinedFields(receipt) : PENDING),
      ...(ether ? { ether } : {}),
    };
  }

  private async readMinedFields(
    receipt: TransactionReceipt,
  ): Promise<Omit<ChainTransaction, 'hash' | 'ether'>> {
    const newestBlock = await this.client.getBlockNumber();
    // The node may have answered the receipt and the newest block from different states of the chain.
    const blocksAbove = newestBlock > receipt.blockNumber ? newestBlock - receipt.blockNumber : 0n;
    return {
      succeeded: receipt.status === 'success',
      blockNumber: Number(receipt.blockNumber),
      confirmations: Number(blocksAbove) + 1,
      gasUsed: receipt.gasUsed.toString(),
      gasPrice: formatGwei(receipt.effectiveGasPrice),
      transfers: this.transfersOf(receipt),
    };
  }

  private transfersOf({ logs }: TransactionReceipt): TokenTransfer[] {
    return logs.flatMap((entry, logIndex) => {
      if (!isAddressEqual(entry.address, this.usdc)) return [];
      return parseEventLogs({ abi: erc20Abi, eventName: 'Transfer', logs: [entry] }).map(({ args }) => ({
        token: this.usdc,
        from: args.from,
        to: args.to,
        amount: Money.of(formatUnits(args.value, MICRO_SCALE)),
        logIndex,
      }));
    });
  }
}

/** eth_syncing, for which viem has no method, returns false, or the progress while the node synchronises. */
async function readSyncing(client: PublicClient): Promise<boolean> {
  const progress = await client.request<{
    Method: 'eth_syncing';
    Parameters?: undefined;
    ReturnType: unknown;
  }>({ method: 'eth_syncing' });
  return progress !== false;
}

/** Block times are seconds since 1970. */
function timeOf(timestamp: bigint): Date {
  return new Date(Number(timestamp) * 1000);
}

/** For a malformed signature, from which no signer can be recovered. */
function noSigner(): undefined {}

/** The contract reverted, or the EVM stopped it, for example because it used up its gas. Both are answers of the node. */
function isRefusedByContract(error: unknown): boolean {
  if (!(error instanceof BaseError)) return false;
  const isRefusal = (cause: unknown) =>
    cause instanceof ExecutionRevertedError ||
    (cause instanceof RpcRequestError && EVM_STOPPED.test(cause.details));
  return error.walk(isRefusal) !== null;
}

const PENDING = { succeeded: null, ...NOT_MINED, transfers: [] } as const;

/** Turns the error that means "not found" into undefined. */
function undefinedOn(notFoundError: abstract new (...args: never[]) => Error): (error: unknown) => undefined {
  return (error) => {
    if (error instanceof notFoundError) return undefined;
    throw error;
  };
}
