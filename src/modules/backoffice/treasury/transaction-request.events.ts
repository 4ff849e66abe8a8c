import type { PlatformEvent } from '../../../events/domain-events.js';

/** Topic `transaction-request`: emitted in the transaction that assigns the request to an admin. */
export interface TransactionRequestEvent extends PlatformEvent {
  readonly name: 'transaction-request.assigned';
  readonly requestId: string;
  /** The admin's e-mail address. */
  readonly assignedTo: string;
}
