import { Injectable } from '@nestjs/common';
import { isEvmHash, type Sighting } from './chain-check.js';
import { Chain } from './chain.js';

/** A hash that was entered, and waits for the chain to say something about it. */
export interface Unverified {
  readonly id: string;
  readonly txHash: string;
}

/** What the chain says of hashes that admins enter. */
@Injectable()
export class ChainSightings {
  constructor(private readonly chain: Chain) {}

  /** Never refuses: a node that does not answer must not stop an operator. */
  async look(txHash: string): Promise<Sighting> {
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
  async lookAgain(
    waiting: readonly Unverified[],
    settle: (id: string, sighting: Sighting) => Promise<void>,
    stopping: AbortSignal,
  ): Promise<void> {
    for (const { id, txHash } of waiting) {
      if (stopping.aborted) return;
      const sighting = await this.look(txHash);
      await settle(id, sighting);
      if (sighting === 'unreachable') return; // the others would wait for the same node
    }
  }
}
