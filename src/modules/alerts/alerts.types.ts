/** The conditions and events that raise an alert. The values are part of the interface; the constraint `alert_kind` lists them. */
export const ALERT_KINDS = [
  'deposit-reorganised',
  'withdrawal-paid-after-failure',
  'second-transfer',
  'clock-apart',
  'admins-file',
  'screening-away',
  'screening-blocked',
  'log-restored',
] as const;
export type AlertKind = (typeof ALERT_KINDS)[number];

export const ALERT_STATUSES = ['open', 'resolved'] as const;
export type AlertStatus = (typeof ALERT_STATUSES)[number];

/** The record that an alert concerns. */
interface AlertSubject {
  /** Kind of record, for example `deposit`. */
  readonly type: string;
  readonly id: string;
  readonly userId?: string;
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
