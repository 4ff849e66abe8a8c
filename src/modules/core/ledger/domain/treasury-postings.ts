import type { Money } from '../../../../common/money.js';
import { platformAccount, USDC, userAccount, move, type Entry, type Posting } from './chart-of-accounts.js';

// Postings of transactions that admins book by hand, and of treasury transfers. `move` debits the first account and credits the second
// one: a transfer to custody, an asset that grows, debits custody.

interface AdminTransactionEvent {
  transactionId: string;
  userId: string;
  amount: Money;
  at: Date;
}

function depositPosting(event: AdminTransactionEvent, description: string, entries: Entry[]): Posting {
  const reference = { type: 'admin-transaction', id: event.transactionId };
  return { type: 'deposit', category: 'deposit', reference, at: event.at, description, entries };
}

/** A deposit of USDC that the deposit provider holds, or that suspense holds. */
export function depositBooked(
  event: AdminTransactionEvent & { network: string; fromSuspense: boolean },
): Posting {
  const source = event.fromSuspense
    ? platformAccount('suspense')
    : platformAccount('asset.deposit-provider', USDC, event.network);
  const description = `Deposit of ${event.amount.toExact()} ${USDC}, booked by hand`;
  const entries = move(event.amount, source, userAccount(event.userId, 'user.available'));
  return depositPosting(event, description, entries);
}

/**
 * Takes back a credited deposit whose tokens the deposit provider does not hold. `tokens` is the amount in `asset`, which is
 * not USDC if the deposit was converted.
 */
export function depositTakenBack(
  event: AdminTransactionEvent & { network: string; asset: string; tokens: Money },
): Posting {
  const available = userAccount(event.userId, 'user.available');
  const provider = platformAccount('asset.deposit-provider', event.asset, event.network);
  const entries =
    event.asset === USDC
      ? move(event.amount, available, provider)
      : [
          ...move(event.amount, available, platformAccount('conversion')),
          ...move(event.tokens, platformAccount('conversion', event.asset), provider),
        ];
  const description = `${event.amount.toExact()} ${USDC} of a deposit taken back, booked by hand`;
  return depositPosting(event, description, entries);
}

/** A withdrawal that the custody provider has paid. */
export function withdrawalBooked(event: AdminTransactionEvent): Posting {
  return {
    type: 'withdrawal-completed',
    category: 'withdrawal',
    reference: { type: 'admin-transaction', id: event.transactionId },
    at: event.at,
    description: 'Paid out by the custody provider, booked by hand',
    entries: move(
      event.amount,
      userAccount(event.userId, 'user.available'),
      platformAccount('asset.custody'),
    ),
  };
}

/** A transfer of USDC from the deposit provider to custody; in the opposite direction if the amount is negative. */
export function treasuryMoved(event: {
  transferId: string;
  network: string;
  amount: Money;
  at: Date;
}): Posting {
  return {
    type: 'treasury-transfer',
    category: 'internal',
    reference: { type: 'treasury-transfer', id: event.transferId },
    at: event.at,
    description: 'Moved between the deposit provider and custody',
    entries: move(
      event.amount,
      platformAccount('asset.custody'),
      platformAccount('asset.deposit-provider', USDC, event.network),
    ),
  };
}
