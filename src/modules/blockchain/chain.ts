import type { Money } from '../../common/money.js';
import type { Mined } from './mined.js';

/** One ERC-20 transfer inside a transaction. */
export interface TokenTransfer {
  /** Contract of the token, checksummed. */
  readonly token: string;
  readonly from: string;
  readonly to: string;
  /** In USDC, six decimals. */
  readonly amount: Money;
  /** Place among the transaction's own logs: the same when a reorganisation mines it again in another block. */
  readonly logIndex: number;
}

/** One transfer of the configured USDC contract, found by its receiver. */
export interface FoundTransfer {
  readonly hash: string;
  readonly to: string;
  readonly amount: Money;
}

/** Ether that a transaction itself carries; what contracts pass on inside it is not seen. */
export interface EtherTransfer {
  readonly from: string;
  readonly to: string;
  /** In ETH, 18 decimals. */
  readonly amount: Money;
}

/** A transaction as the chain has it. */
export interface ChainTransaction extends Mined {
  readonly hash: string;
  /** Mined and not reverted; null while it waits in the pool. */
  readonly succeeded: boolean | null;
  /** Transfers of the configured USDC contract, in log order. */
  readonly transfers: readonly TokenTransfer[];
  /** Absent when it carries none. */
  readonly ether?: EtherTransfer;
}

/** What an address holds on chain. */
export interface ChainBalances {
  readonly usdc: Money;
  /** In ETH, 18 decimals. */
  readonly eth: Money;
}

/** The state of the node. */
export interface ChainState {
  /** As the node says, not as configured. */
  readonly chainId: number;
  readonly blockNumber: number;
  /** The node has not caught up with its chain. */
  readonly isSyncing: boolean;
}

/** Where the chain stands. */
export interface ChainHead extends ChainState {
  readonly blockTime: Date;
  /** In gwei. */
  readonly gasPrice: string;
}

export interface ChainCondition {
  readonly status: 'healthy' | 'degraded' | 'unhealthy';
  readonly message: string;
}

/** Whether the answers of the node can be used: on another chain they are about other money. */
export function chainCondition({ chainId, isSyncing }: ChainState, expectedChainId: number): ChainCondition {
  if (chainId !== expectedChainId) {
    const message = `the node is on chain ${chainId} and not on chain ${expectedChainId}`;
    return { status: 'unhealthy', message };
  }
  return isSyncing
    ? { status: 'degraded', message: 'the node is synchronising' }
    : { status: 'healthy', message: 'answers' };
}

/**
 * The EVM chain that the service can read. A port; the adapter speaks JSON-RPC by viem with a time-out.
 * Never called while a database transaction is open.
 */
export abstract class Chain {
  /** The transaction, or undefined when the chain does not know the hash. Throws BLOCKCHAIN_ERROR. */
  abstract transaction(hash: string): Promise<ChainTransaction | undefined>;

  /** When a block was mined, as it says itself: whole seconds. Throws BLOCKCHAIN_ERROR. */
  abstract blockTime(blockNumber: number): Promise<Date>;

  /** Transfers of USDC to any of these addresses in these blocks, both included. Throws BLOCKCHAIN_ERROR. */
  abstract transfersTo(
    addresses: readonly string[],
    fromBlock: number,
    toBlock: number,
  ): Promise<FoundTransfer[]>;

  /** What each address holds, in the same order. Throws BLOCKCHAIN_ERROR. */
  abstract balances(addresses: readonly string[]): Promise<ChainBalances[]>;

  /**
   * Whether a text was signed for an address: with its own key, or as the contract there says (EIP-1271), for which
   * alone the node is asked. Throws BLOCKCHAIN_ERROR.
   */
  abstract isSignedBy(address: string, text: string, signature: string): Promise<boolean>;

  /** Number of the newest block. Throws BLOCKCHAIN_ERROR. */
  abstract newestBlock(): Promise<number>;

  /** For health: the node is asked for its chain first, and for nothing else if it does not answer. Throws BLOCKCHAIN_ERROR. */
  abstract state(): Promise<ChainState>;

  /** For whoever waits for it: asked once, within 2 s. Throws BLOCKCHAIN_ERROR. */
  abstract head(): Promise<ChainHead>;
}
