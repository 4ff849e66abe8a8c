import type { Money } from '../../common/money.js';
import { platformAccount, USDC, userAccount } from './chart-of-accounts.js';
import { move, type Posting } from './posting.js';

// What admins book by hand does to the accounts. Pure.

interface BookedEvent {
  transactionId: string;
  userId: string;
  amount: Money;
  at: Date;
}

/** A deposit that admins book by hand: of tokens at the deposit provider, or of what waits in suspense. */
export function depositBooked(fact: BookedEvent & { network: string; fromSuspense: boolean }): Posting {
  const source = fact.fromSuspense
    ? platformAccount('suspense')
    : platformAccount('asset.deposit-provider', USDC, fact.network);
  return {
    type: 'deposit',
    category: 'deposit',
    reference: { type: 'admin-transaction', id: fact.transactionId },
    at: fact.at,
    description: `Deposit of ${fact.amount.toString()} ${USDC}, booked by hand`,
    entries: move(fact.amount, source, userAccount(fact.userId, 'user.available')),
  };
}

/** A withdrawal that admins book by hand: paid by the custody provider. */
export function withdrawalBooked(fact: BookedEvent): Posting {
  return {
    type: 'withdrawal-completed',
    category: 'withdrawal',
    reference: { type: 'admin-transaction', id: fact.transactionId },
    at: fact.at,
    description: 'Paid out by the custody provider, booked by hand',
    entries: move(fact.amount, userAccount(fact.userId, 'user.available'), platformAccount('asset.custody')),
  };
}
