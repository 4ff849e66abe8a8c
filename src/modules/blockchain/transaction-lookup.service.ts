import { Injectable } from '@nestjs/common';
import { ChainClient } from './chain.client.js';
import type { TransactionLookup } from './domain/chain-check.js';
import { isEvmHash, normalizeHash } from './domain/transaction-hash.js';

/** A record whose hash the chain has neither confirmed nor refuted. */
export interface UnverifiedHash {
  readonly id: string;
  readonly txHash: string;
}

/** A normalised hash, and the state of its transaction on chain at the time of the lookup. */
export interface LookedUpHash {
  readonly txHash: string;
  readonly lookup: TransactionLookup;
}

/** Looks up the hashes that admins and providers report. Asks the node, so it is not called inside a transaction. */
@Injectable()
export class TransactionLookupService {
  constructor(private readonly chain: ChainClient) {}

  /** Normalises a hash as it was entered, and looks it up. Throws as `normalizeHash`. */
  async lookUpEnteredHash(entered: string): Promise<LookedUpHash> {
    const txHash = normalizeHash(entered);
    return { txHash, lookup: await this.lookUpTransaction(txHash) };
  }

  /** Never throws: a node that does not answer must not stop an operator. */
  async lookUpTransaction(txHash: string): Promise<TransactionLookup> {
    if (!isEvmHash(txHash)) return 'unknown';
    try {
      const found = await this.chain.transaction(txHash);
      if (!found) return 'unknown';
      const minedAt = found.blockNumber === null ? null : await this.chain.blockTime(found.blockNumber);
      return { ...found, minedAt };
    } catch {
      return 'unreachable'; // the client has logged the error
    }
  }

  /** Looks up each hash and calls `settle` with the result. Stops on `stopping` and when the node does not answer. */
  async recheckUnverified(
    waiting: readonly UnverifiedHash[],
    settle: (id: string, lookup: TransactionLookup) => Promise<void>,
    stopping: AbortSignal,
  ): Promise<void> {
    for (const { id, txHash } of waiting) {
      if (stopping.aborted) return;
      const lookup = await this.lookUpTransaction(txHash);
      await settle(id, lookup);
      if (lookup === 'unreachable') return; // each further hash would wait for the same node
    }
  }
}
