import { StateMachine } from '../../../common/state-machine.js';

export const ADMIN_TRANSACTION_TYPES = ['deposit', 'withdrawal', 'transfer', 'reversal'] as const;
export type AdminTransactionType = (typeof ADMIN_TRANSACTION_TYPES)[number];

export type AdminTransactionStatus = 'pending' | 'processing' | 'confirmed' | 'failed';
export type AdminTransactionVerb = 'approve' | 'confirm' | 'reject';

/** One admin requests a transaction, another approves it, and confirming posts it. Confirmed and failed are final. */
export const ADMIN_TRANSACTION_STATES = new StateMachine<AdminTransactionStatus, AdminTransactionVerb>([
  { verb: 'approve', from: ['pending'], to: 'processing' },
  { verb: 'confirm', from: ['processing'], to: 'confirmed' },
  { verb: 'reject', from: ['pending', 'processing'], to: 'failed' },
]);
