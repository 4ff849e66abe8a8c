import type { Tx } from '../../../database/tx.js';
import type { PlatformEvent } from '../../../events/domain-events.js';

/** The conditions and events that raise an alert. The values are part of the interface; the constraint `alert_kind` lists them. */
export const ALERT_KINDS = [
  'deposit-reorganised',
  'withdrawal-paid-after-failure',
  'second-transfer',
  'clock-apart',
  'admins-file',
  'screening-away',
  'screening-blocked',
  'screening-review',
  'log-restored',
  'payment-mismatch',
  'large-deposit',
  'events-behind',
  'events-parked',
  'event-webhook-failing',
  'forged-credential',
  'record-differs',
  'job-overdue',
  'deposit-unconfirmed',
  'unknown-tier',
  'platform-limit',
] as const;
export type AlertKind = (typeof ALERT_KINDS)[number];

export const ALERT_STATUSES = ['open', 'resolved'] as const;
export type AlertStatus = (typeof ALERT_STATUSES)[number];

/** The record, process, setting, service or log that an alert concerns. */
interface AlertSubject {
  /** For example `deposit` or `process`. */
  readonly type: string;
  /** The id of the record, or a name such as the host name of a process. */
  readonly id: string;
  /** The user whom the record concerns. */
  readonly userId?: string;
  /** The transaction of the event that the alert reports; absent if the alert reports a condition. */
  readonly txHash?: string;
}

export interface NewAlert {
  readonly kind: AlertKind;
  readonly subject: AlertSubject;
  /** The condition or event, as a sentence. */
  readonly message: string;
  /** The action that an operator has to take, as a sentence. */
  readonly nextStep: string;
}

/** Checks that an admin had no part in a record. The module approvals, which knows the accounts of admins, implements it. */
export abstract class UninvolvedAdmins {
  /** Throws FOUR_EYES_REQUIRED unless the admin is certainly another person than each admin of `involved`. */
  abstract requireUninvolved(tx: Tx, email: string, involved: readonly string[]): Promise<void>;
}

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
