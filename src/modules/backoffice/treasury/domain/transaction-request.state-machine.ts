import { StateMachine } from '../../../../common/state-machine.js';

export const TRANSACTION_REQUEST_STATUSES = ['pending', 'completed', 'rejected'] as const;
export type TransactionRequestStatus = (typeof TRANSACTION_REQUEST_STATUSES)[number];
export type TransactionRequestVerb = 'assign' | 'complete' | 'reject';

/** `assign` changes only the assignee. No route rejects a request: rejecting a transfer also rejects its pending request. */
export const TRANSACTION_REQUEST_STATES = new StateMachine<TransactionRequestStatus, TransactionRequestVerb>([
  { verb: 'assign', from: ['pending'], to: 'pending' },
  { verb: 'complete', from: ['pending'], to: 'completed' },
  { verb: 'reject', from: ['pending'], to: 'rejected' },
]);
