import { Injectable } from '@nestjs/common';
import { type TransactionLookup } from './domain/chain-check.js';
import { isEvmHash } from './domain/transaction-hash.js';
import { ChainClient } from './chain.client.js';

/** A hash that was entered, and waits for the chain to say something about it. */
export interface UnverifiedHash {
  readonly id: string;
  readonly txHash: string;
}

/** What the chain says of hashes that admins enter. */
@Injectable()
export class TransactionLookupService {
  constructor(private readonly chain: ChainClient) {}

  /** Never refuses: a node that does not answer must not stop an operator. */
  async lookUpTransaction(txHash: string): Promise<TransactionLookup> {
    if (!isEvmHash(txHash)) return 'unknown';
    try {
      const found = await this.chain.transaction(txHash);
      if (!found) return 'unknown';
      const minedAt = found.blockNumber === null ? null : await this.chain.blockTime(found.blockNumber);
      return { ...found, minedAt };
    } catch {
      return 'unreachable'; // the adapter has logged why
    }
  }

  /** Looks at each, and lets it be settled by what is seen; stops when asked to, or when the node is silent. */
  async recheckUnverified(
    waiting: readonly UnverifiedHash[],
    settle: (id: string, lookup: TransactionLookup) => Promise<void>,
    stopping: AbortSignal,
  ): Promise<void> {
    for (const { id, txHash } of waiting) {
      if (stopping.aborted) return;
      const lookup = await this.lookUpTransaction(txHash);
      await settle(id, lookup);
      if (lookup === 'unreachable') return; // the others would wait for the same node
    }
  }
}
