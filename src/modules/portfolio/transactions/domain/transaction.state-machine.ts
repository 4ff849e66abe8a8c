import { StateMachine } from '../../../../common/state-machine.js';
import type { TransactionType } from './transaction-kinds.js';

export const TRANSACTION_STATUSES = ['pending', 'processing', 'completed', 'failed', 'cancelled'] as const;
export type TransactionStatus = (typeof TRANSACTION_STATUSES)[number];

export type TransactionVerb = 'open' | 'take' | 'return' | 'complete' | 'fail' | 'cancel';

/** Any verb can begin a record. `completed`, `failed` and `cancelled` are final, except as `statusesBefore` says. */
const TRANSACTION_STATES = new StateMachine<TransactionStatus, TransactionVerb>([
  { verb: 'open', from: ['pending'], to: 'pending' }, // repeated, for example, by new confirmations
  { verb: 'take', from: ['pending'], to: 'processing' },
  { verb: 'return', from: ['processing'], to: 'pending' },
  { verb: 'complete', from: ['pending', 'processing'], to: 'completed' },
  { verb: 'fail', from: ['pending', 'processing'], to: 'failed' },
  { verb: 'cancel', from: ['pending'], to: 'cancelled' },
]);

/** The status that a verb leads to. Each verb has one transition. */
export function statusAfter(verb: TransactionVerb): TransactionStatus {
  const transition = TRANSACTION_STATES.transitions.find((candidate) => candidate.verb === verb);
  if (!transition) throw new Error(`no transition ${verb}`);
  return transition.to;
}

/**
 * The statuses in which the verb is allowed. A failed withdrawal is completed when the chain shows its payment; no other
 * transition leaves `failed`.
 */
export function statusesBefore(verb: TransactionVerb, type: TransactionType): TransactionStatus[] {
  const allowed = TRANSACTION_STATES.allowedFrom(verb);
  return verb === 'complete' && type === 'withdrawal' ? [...allowed, 'failed'] : [...allowed];
}
