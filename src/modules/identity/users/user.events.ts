import type { DomainEvent } from '../../../events/domain-events.js';
import type { UserStatus } from './users.types.js';

/**
 * Topic `user`: emitted in the transaction that creates a user or changes the status, except for an erasure. An admin's account is no
 * user; it is `created` when its owner signs in as a user.
 */
export interface UserEvent extends DomainEvent {
  readonly name: 'user.created' | 'user.status-changed';
  readonly status: UserStatus;
  /** Of created: `sign-in` if the user has signed in for the first time. */
  readonly createdBy: 'sign-in' | 'admin' | null;
}
