import type { NewAlert } from '../alerts/alerts.service.js';
import type { Deposit } from './entities/deposit.entity.js';
import type { Word } from './observation.js';

// The alerts about deposits. Pure.

type Booked = Pick<Deposit, 'id' | 'userId' | 'txHash' | 'network' | 'currency' | 'amount' | 'credited'>;

/** A deposit whose money is booked, and whose authority, chain or provider, no longer stands by it. */
export function reorganisedAlert(row: Booked, found: string): NewAlert {
  const { id, userId, txHash, network, currency } = row;
  return {
    kind: 'deposit-reorganised',
    subject: { type: 'deposit', id, userId, txHash },
    message: `A deposit of ${row.amount.toWire()} ${currency} over ${network} is ${row.credited ? 'credited' : 'booked'}, and ${found}.`,
    nextStep:
      "Reject or hold the user's withdrawals, and look the transaction up on chain and at the deposit provider. If it " +
      'does not come back, book the amount back by POST /api/admin/transactions.',
  };
}

/** Where the log index is unknown, a second transfer of one transaction cannot be told from a repeated report. */
export function secondTransferAlert(first: Pick<Deposit, 'id' | 'userId'>, second: Word): NewAlert {
  const { id, hash, network, currency, amount } = second;
  return {
    kind: 'second-transfer',
    subject: { type: 'provider-deposit', id, userId: first.userId, txHash: hash },
    message:
      `The deposit provider reports ${amount.toWire()} ${currency} over ${network} as its deposit ${id}, in a ` +
      `transaction that is recorded as deposit ${first.id}. It is not credited.`,
    nextStep:
      'Look the transaction up on chain. If it pays the address twice, book the second transfer by ' +
      'POST /api/admin/transactions with the type deposit; if it pays once, resolve this alert.',
  };
}
