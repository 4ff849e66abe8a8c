import { throwError } from '../../../../common/errors/domain-error.js';
import { StateMachine } from '../../../../common/state-machine.js';

export type InvestmentStatus = 'pending' | 'active' | 'closed' | 'cancelled';
export type InvestmentVerb = 'approve' | 'reject' | 'close' | 'move' | 'cancel';

/** Statuses in responses to users: an active investment of a suspended strategy is paused. */
export const SHOWN_STATUSES = ['pending', 'active', 'paused', 'closed', 'cancelled'] as const;
export type ShownStatus = (typeof SHOWN_STATUSES)[number];

/** Statuses in responses to admins: a closed investment is completed. */
export const ADMIN_STATUSES = ['active', 'pending', 'completed', 'cancelled'] as const;
export type AdminStatus = (typeof ADMIN_STATUSES)[number];

export const STORED_STATUS: Record<AdminStatus, InvestmentStatus> = {
  active: 'active',
  pending: 'pending',
  completed: 'closed',
  cancelled: 'cancelled',
};

export function adminStatus(status: InvestmentStatus): AdminStatus {
  return status === 'closed' ? 'completed' : status;
}

const INVESTMENT_STATES = new StateMachine<InvestmentStatus, InvestmentVerb>([
  { verb: 'approve', from: ['pending'], to: 'active' }, // issues the units
  { verb: 'reject', from: ['pending'], to: 'cancelled' },
  { verb: 'close', from: ['active'], to: 'closed' },
  { verb: 'move', from: ['active'], to: 'closed' }, // another investment takes the value over
  { verb: 'cancel', from: ['pending', 'active'], to: 'cancelled' }, // pays the price, at most the first principal
]);

/** Throws INVESTMENT_ALREADY_CLOSED for close, move and cancel of an ended investment, INVALID_STATE for other wrong verbs. */
export function statusAfter(status: InvestmentStatus, verb: InvestmentVerb): InvestmentStatus {
  const hasEnded = status === 'closed' || status === 'cancelled';
  const isUsersVerb = verb === 'close' || verb === 'move' || verb === 'cancel';
  if (hasEnded && isUsersVerb) throwError('INVESTMENT_ALREADY_CLOSED');
  return INVESTMENT_STATES.next(status, verb);
}
