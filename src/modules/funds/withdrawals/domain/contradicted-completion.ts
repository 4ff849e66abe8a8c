import type { ChainCheckReason } from '../../../providers/chain/domain/chain-check.js';
import type { Withdrawal } from '../entities/withdrawal.entity.js';

/** Thrown in the transaction of a completion that the chain contradicts, so that nothing is changed before the approval. */
export class ContradictedCompletion extends Error {
  constructor(
    readonly withdrawal: Withdrawal,
    readonly reason: ChainCheckReason | null,
  ) {
    super('the chain contradicts the payment');
  }
}
