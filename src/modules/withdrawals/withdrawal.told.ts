import type { DomainEvents } from '../../database/domain-events.js';
import type { Tx } from '../../database/unit-of-work.js';
import type { TransactionLookup } from '../blockchain/domain/chain-check.js';
import { minedOf } from '../blockchain/domain/mined.js';
import type { Withdrawal } from './entities/withdrawal.entity.js';
import type { WithdrawalEvent, WithdrawalOnChainEvent } from './withdrawal.events.js';

export function factOf(name: WithdrawalEvent['name'], withdrawal: Withdrawal, at: Date): WithdrawalEvent {
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
  domainEvents: DomainEvents,
  tx: Tx,
  { id, userId, chainCheck, chainCheckedAt }: Withdrawal,
  lookup: TransactionLookup,
): Promise<void> {
  if (chainCheck !== 'matched' || chainCheckedAt === null || typeof lookup === 'string') return;
  await domainEvents.emit<WithdrawalOnChainEvent>(tx, {
    name: 'withdrawal-on-chain.matched',
    userId,
    at: chainCheckedAt,
    withdrawalId: id,
    mined: minedOf(lookup),
  });
}
