import { StateMachine } from '../../../../common/state-machine.js';

export const APPROVAL_STATUSES = [
  'pending',
  'approved',
  'rejected',
  'withdrawn',
  'expired',
  'failed',
] as const;
export type ApprovalStatus = (typeof APPROVAL_STATUSES)[number];

export type ApprovalVerb = 'approve' | 'reject' | 'withdraw' | 'expire' | 'fail';

/** `fail`: a second admin has approved the change, and it was refused. */
export const APPROVAL_STATES = new StateMachine<ApprovalStatus, ApprovalVerb>([
  { verb: 'approve', from: ['pending'], to: 'approved' },
  { verb: 'reject', from: ['pending'], to: 'rejected' },
  { verb: 'withdraw', from: ['pending'], to: 'withdrawn' },
  { verb: 'expire', from: ['pending'], to: 'expired' },
  { verb: 'fail', from: ['pending'], to: 'failed' },
]);
