import { Injectable } from '@nestjs/common';
import { ChainClient } from './chain.client.js';
import type { TransactionLookup } from './domain/chain-check.js';
import { normalizeHash, toEvmHash } from './domain/transaction-hash.js';

/** The id of a record, and its hash, which the chain has neither confirmed nor refuted. */
export interface UnverifiedHash {
  readonly id: string;
  readonly txHash: string;
}

/** A normalised hash, and the state of its transaction on chain at the time of the lookup. */
export interface LookedUpHash {
  readonly txHash: string;
  readonly lookup: TransactionLookup;
}

/** Looks up the hashes that admins and providers report. Calls the node, so it is not used inside a database transaction. */
@Injectable()
export class TransactionLookupService {
  constructor(private readonly chain: ChainClient) {}

  /** Converts a hash that was entered to lower case with the prefix 0x, and looks it up. Never throws. */
  async lookUpEnteredHash(entered: string): Promise<LookedUpHash> {
    const normalized = normalizeHash(entered);
    const txHash = toEvmHash(normalized) ?? normalized; // a provider may report a text that is no hash of an EVM chain
    return { txHash, lookup: await this.lookUpTransaction(txHash) };
  }

  /** Looks up each hash and calls `settle` with the result, until `stopping` is aborted or the node does not answer. */
  async recheckUnverified(
    hashes: readonly UnverifiedHash[],
    settle: (id: string, lookup: TransactionLookup) => Promise<void>,
    stopping: AbortSignal,
  ): Promise<void> {
    for (const { id, txHash } of hashes) {
      if (stopping.aborted) return;
      const lookup = await this.lookUpTransaction(txHash);
      await settle(id, lookup);
      if (lookup === 'unreachable') return; // the lookup of each further hash would time out, too
    }
  }

  /** Never throws: a node that does not answer must not stop an operator. */
  private async lookUpTransaction(txHash: string): Promise<TransactionLookup> {
    const hash = toEvmHash(txHash);
    if (!hash) return 'unknown';
    try {
      const transaction = await this.chain.transaction(hash);
      if (!transaction) return 'unknown';
      const { blockNumber } = transaction;
      return {
        ...transaction,
        minedAt: blockNumber === null ? null : await this.chain.blockTime(blockNumber),
      };
    } catch {
      return 'unreachable'; // the client has logged the error
    }
  }
}
