import type { Facts } from '../../database/domain-events.js';
import type { Tx } from '../../database/unit-of-work.js';
import type { Sighting } from '../blockchain/chain-check.js';
import { minedOf } from '../blockchain/mined.js';
import type { WithdrawalEntity } from './entities/withdrawal.entity.js';
import type { WithdrawalFact, WithdrawalOnChainFact } from './withdrawal.events.js';

export function factOf(name: WithdrawalFact['name'], withdrawal: WithdrawalEntity, at: Date): WithdrawalFact {
  return {
    name,
    userId: withdrawal.userId,
    at,
    withdrawalId: withdrawal.id,
    amount: withdrawal.amount,
    currency: withdrawal.currency,
    toAddress: withdrawal.toAddress,
    txHash: withdrawal.txHash,
    reason: name === 'withdrawal.rejected' || name === 'withdrawal.failed' ? withdrawal.note : null,
  };
}

/** Tells of a completed withdrawal what the chain shows of its transfer, where it does. */
export async function tellOnChain(
  facts: Facts,
  tx: Tx,
  { id, userId, chainCheck, chainCheckedAt }: WithdrawalEntity,
  sighting: Sighting,
): Promise<void> {
  if (chainCheck !== 'matched' || chainCheckedAt === null || typeof sighting === 'string') return;
  await facts.tell<WithdrawalOnChainFact>(tx, {
    name: 'withdrawal-on-chain.matched',
    userId,
    at: chainCheckedAt,
    withdrawalId: id,
    mined: minedOf(sighting),
  });
}
