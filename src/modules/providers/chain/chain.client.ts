import type { Logger } from '@nestjs/common';
import { throwError } from '../../../common/errors/domain-error.js';
import { MICRO_SCALE, Money } from '../../../common/money.js';

/**
 * Block and gas of a transaction. All fields but `confirmations` are null until a block contains the transaction, and for a
 * deposit that only the deposit provider shows.
 */
export interface Mined {
  readonly blockNumber: number | null;
  /** Number of blocks from the transaction's own to the newest, both included; 0 while it is pending. */
  readonly confirmations: number;
  /** Units of gas. */
  readonly gasUsed: string | null;
  /** In gwei. */
  readonly gasPrice: string | null;
}

export const NOT_MINED: Mined = { blockNumber: null, confirmations: 0, gasUsed: null, gasPrice: null };

/** Picks the fields of `Mined` from an object that has more fields. */
export function minedOf({ blockNumber, confirmations, gasUsed, gasPrice }: Mined): Mined {
  return { blockNumber, confirmations, gasUsed, gasPrice };
}

const ETH_PER_GWEI = Money.of('0.000000001');

/** The fee in ETH, with all decimals; null until the transaction is mined. */
export function exactGasFee({ gasUsed, gasPrice }: Pick<Mined, 'gasUsed' | 'gasPrice'>): Money | null {
  if (gasUsed === null || gasPrice === null) return null;
  return Money.of(gasUsed).times(Money.of(gasPrice)).times(ETH_PER_GWEI);
}

/** The fee in ETH, rounded half-even to six decimals; null until the transaction is mined. */
export function gasFee(mined: Pick<Mined, 'gasUsed' | 'gasPrice'>): string | null {
  return exactGasFee(mined)?.roundHalfEven(MICRO_SCALE).toWire() ?? null;
}

/** One ERC-20 transfer inside a transaction. */
export interface TokenTransfer {
  /** Contract of the token; checksummed, as are `from` and `to`. */
  readonly token: string;
  readonly from: string;
  readonly to: string;
  /** In USDC, six decimals. */
  readonly amount: Money;
  /** Index among the transaction's own logs; it stays when a reorganisation moves the transaction to another block. */
  readonly logIndex: number;
}

/** A transfer of the configured USDC contract that `transfersTo` finds. */
export interface FoundTransfer {
  readonly hash: string;
  readonly blockNumber: number;
  /** Checksummed, as `to` is. */
  readonly from: string;
  readonly to: string;
  readonly amount: Money;
}

/** Ether that the transaction itself carries, without internal transfers by contracts. The addresses are checksummed. */
export interface EtherTransfer {
  readonly from: string;
  readonly to: string;
  /** In ETH, 18 decimals. */
  readonly amount: Money;
}

export interface ChainTransaction extends Mined {
  readonly hash: string;
  /** Mined and not reverted; null while the transaction is pending, or if the node does not say. */
  readonly succeeded: boolean | null;
  /** Transfers of the configured USDC contract, in log order. */
  readonly transfers: readonly TokenTransfer[];
  /** Absent when the transaction carries no ether. */
  readonly ether?: EtherTransfer;
}

/** Balances of one address on chain. */
export interface ChainBalances {
  readonly usdc: Money;
  /** In ETH, 18 decimals. */
  readonly eth: Money;
}

/** The state of the node. */
export interface ChainState {
  /** Reported by the node; it may differ from the configured chain. */
  readonly chainId: number;
  readonly blockNumber: number;
  /** The node is still synchronising with its chain; null if it does not say. */
  readonly isSyncing: boolean | null;
  /** What the node lacks and the service does without. */
  readonly missing: readonly string[];
}

/** The newest block and the gas price. */
export interface ChainHead extends ChainState {
  /** Null if the node does not say, as `gasPrice` is. */
  readonly blockTime: Date | null;
  /** In gwei. */
  readonly gasPrice: string | null;
}

export interface ChainCondition {
  readonly status: 'healthy' | 'degraded' | 'unhealthy';
  readonly message: string;
}

/** Whether the answers of the node can be used: a node on another chain reports transfers that are not the platform's. */
export function chainCondition(
  { chainId, isSyncing, missing }: ChainState,
  expectedChainId: number,
): ChainCondition {
  if (chainId !== expectedChainId) {
    const message = `the node is on chain ${chainId} and not on chain ${expectedChainId}`;
    return { status: 'unhealthy', message };
  }
  if (isSyncing) return { status: 'degraded', message: 'the node is synchronising' };
  const message = missing.length > 0 ? `answers, but lacks ${missing.join(', ')}` : 'answers';
  return { status: 'healthy', message };
}

/** For `catch`: logs a failure of the node and throws BLOCKCHAIN_ERROR. */
export function failOnNodeError(log: Logger): (error: unknown) => never {
  return (error) => {
    log.warn({ msg: 'the node does not answer', err: error });
    return throwError('BLOCKCHAIN_ERROR');
  };
}

/**
 * The EVM chain that the service reads; `ViemChainClient` implements it with JSON-RPC.
 * Never called while a database transaction is open.
 */
export abstract class ChainClient {
  /** The transaction, or undefined when the chain does not know the hash. Throws BLOCKCHAIN_ERROR. */
  abstract transaction(hash: string): Promise<ChainTransaction | undefined>;

  /** The timestamp of a block, in whole seconds; null if the node's blocks have none. Throws BLOCKCHAIN_ERROR. */
  abstract blockTime(blockNumber: number): Promise<Date | null>;

  /** Transfers of USDC to any of these addresses in these blocks, both included. Throws BLOCKCHAIN_ERROR. */
  abstract transfersTo(
    addresses: readonly string[],
    fromBlock: number,
    toBlock: number,
  ): Promise<FoundTransfer[]>;

  /** The balances of each address, in the same order, at the recent block `atBlock` or at the newest one. Throws BLOCKCHAIN_ERROR. */
  abstract balances(addresses: readonly string[], atBlock?: number): Promise<ChainBalances[]>;

  /**
   * Whether a text was signed for an address: with its key (EIP-2098 included) or, if not, according to the contract at the
   * address (ERC-1271), which the signature itself may deploy (ERC-6492). Only a contract's check calls the node. Throws
   * BLOCKCHAIN_ERROR.
   */
  abstract isSignedBy(address: string, text: string, signature: string): Promise<boolean>;

  /** Number of the newest block. Throws BLOCKCHAIN_ERROR. */
  abstract newestBlock(): Promise<number>;

  /** For health checks: reads the chain id first and nothing else if that fails. Throws BLOCKCHAIN_ERROR. */
  abstract state(): Promise<ChainState>;

  /** For responses with the newest block, which must not wait long: one attempt within 2 s. Throws BLOCKCHAIN_ERROR. */
  abstract head(): Promise<ChainHead>;
}
