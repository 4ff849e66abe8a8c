/**
 * `owed`: money owed to users may be wrong, so withdrawals are paused. `warning`: somebody should look, but what
 * users are owed is not in doubt.
 */
export type Severity = 'owed' | 'warning';

/** Something that always holds, in every state that a transaction can leave behind. */
export interface Law {
  readonly name: string;
  readonly description: string;
  readonly severity: Severity;
  /** Selects what breaks it: subject, user_id (null where it is nobody's), expected, actual. */
  readonly sql: string;
}

export interface Break {
  /** The account, entry or strategy in words. */
  readonly subject: string;
  readonly userId: string | null;
  /** Decimal text with all its digits, as the two below. */
  readonly expected: string;
  readonly actual: string;
  /** Actual less expected. */
  readonly difference: string;
}
