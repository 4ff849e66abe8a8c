import type { PlatformEvent } from '../../../events/domain-events.js';
import type { AlertKind } from './alerts.types.js';

/** Topic `alert`: emitted in the transaction that raises or resolves the alert. */
export interface AlertEvent extends PlatformEvent {
  readonly name: 'alert.raised' | 'alert.resolved';
  /** The user whom the record concerns; absent without one. */
  readonly userId?: string;
  readonly alertId: string;
  readonly kind: AlertKind;
  readonly subjectType: string;
  readonly subjectId: string;
  readonly message: string;
  readonly nextStep: string;
  /** Who has resolved the alert: `system` if the condition ended. Null while it is open. */
  readonly resolvedBy: 'admin' | 'system' | null;
}
