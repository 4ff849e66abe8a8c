import { StateMachine } from '../../../common/state-machine.js';

/** sweep: surplus into custody; allocate: invested money into custody; deallocate: money back from custody. */
export const TRANSFER_PURPOSES = ['sweep', 'allocate', 'deallocate'] as const;
export type TransferPurpose = (typeof TRANSFER_PURPOSES)[number];

export const REQUEST_STATUSES = ['pending', 'completed', 'rejected'] as const;
export type RequestStatus = (typeof REQUEST_STATUSES)[number];
export type RequestVerb = 'assign' | 'complete' | 'reject';

/** A request is rejected together with its transfer. */
export const REQUEST_STATES = new StateMachine<RequestStatus, RequestVerb>([
  { verb: 'assign', from: ['pending'], to: 'pending' },
  { verb: 'complete', from: ['pending'], to: 'completed' },
  { verb: 'reject', from: ['pending'], to: 'rejected' },
]);
