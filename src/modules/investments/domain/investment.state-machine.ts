import { fail } from '../../../common/errors/domain-error.js';
import { StateMachine } from '../../../common/state-machine.js';

export type InvestmentStatus = 'pending' | 'active' | 'closed' | 'cancelled';
export type InvestmentVerb = 'approve' | 'reject' | 'close' | 'move' | 'cancel';

/** What users see: an active investment of a suspended strategy is paused. */
export type ShownStatus = InvestmentStatus | 'paused';

const INVESTMENT_STATES = new StateMachine<InvestmentStatus, InvestmentVerb>([
  { verb: 'approve', from: ['pending'], to: 'active' }, // Units are issued now
  { verb: 'reject', from: ['pending'], to: 'cancelled' },
  { verb: 'close', from: ['active'], to: 'closed' },
  { verb: 'move', from: ['active'], to: 'closed' }, // Its value goes on in a new one
  { verb: 'cancel', from: ['pending', 'active'], to: 'cancelled' }, // Principal back, growth forfeited
]);

/** The status after a user's verb; what has ended already is INVESTMENT_ALREADY_CLOSED, else INVALID_STATE. */
export function statusAfter(status: InvestmentStatus, verb: InvestmentVerb): InvestmentStatus {
  const ended = status === 'closed' || status === 'cancelled';
  const isUsers = verb === 'close' || verb === 'move' || verb === 'cancel';
  if (ended && isUsers) fail('INVESTMENT_ALREADY_CLOSED');
  return INVESTMENT_STATES.next(status, verb);
}
