import type { DomainEvent } from '../../events/domain-events.js';
import type { UserStatus } from './users.types.js';

/** Topic `user`: emitted in the transaction that creates an account or changes its status, except for an erasure. */
export interface UserEvent extends DomainEvent {
  readonly name: 'user.created' | 'user.status-changed';
  readonly status: UserStatus;
  /** Of created: `sign-in` if the user has signed in for the first time. */
  readonly createdBy: 'sign-in' | 'admin' | null;
}
