import type { PlatformEvent } from '../../../events/domain-events.js';
import type { Approval } from './approvals.types.js';
import type { Permission } from '../../../http/auth/permissions.js';

/** Topic `approval`: emitted in the transaction that stores the request or the decision. */
export interface ApprovalEvent extends PlatformEvent {
  readonly name: 'approval.requested' | 'approval.decided';
  readonly approval: Approval;
  /** The permission that requesting and approving the change need. */
  readonly permission: Permission;
}
