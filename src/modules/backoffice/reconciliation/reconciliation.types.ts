import type { Money } from '../../../common/money.js';
import type { AlertKind } from '../../core/alerts/alerts.types.js';
import type { Alert } from '../../core/alerts/entities/alert.entity.js';
import type { BreakStatus } from './domain/comparison.js';
import type { MovementDirection, StatementSource } from './domain/movement.js';
import type { Reconciliation, ReconciliationLine } from './entities/reconciliation.entity.js';

/** A row in which amounts are decimal text. */
export type Stored<Row> = {
  [Field in keyof Row]: Money extends Row[Field] ? Exclude<Row[Field], Money> | string : Row[Field];
};

/** The kinds of alerts about money that the statements of a provider cover. */
export const ALERT_KINDS: Readonly<Record<StatementSource, readonly AlertKind[]>> = {
  'deposit-provider': ['deposit-reorganised', 'second-transfer', 'deposit-unconfirmed'],
  custody: ['withdrawal-paid-after-failure'],
};

/** Money moved in one direction and currency, according to the statement (`there`) and the platform's records (`here`). */
export interface Sum {
  readonly currency: string;
  readonly direction: MovementDirection;
  readonly there: Money;
  readonly here: Money;
}

export interface NewReconciliation extends Readonly<Omit<Reconciliation, 'fingerprint' | 'sums'>> {
  readonly sums: readonly Sum[];
  /** Ids of the open alerts of this source. */
  readonly alerts: readonly string[];
}

/** Columns that the details have under other names, in another form or not at all. */
type OtherColumns = 'fingerprint' | 'firstDay' | 'lastDay' | 'madeBy' | 'madeAt' | 'sums';

export interface ReconciliationDetails extends Readonly<Omit<Reconciliation, OtherColumns>> {
  readonly from: string;
  readonly to: string;
  readonly by: string;
  readonly at: Date;
  /** Number of breaks that are not resolved. */
  readonly unresolved: number;
  readonly sums: readonly Sum[];
  /** Alerts that were open at `at`. */
  readonly alerts: readonly Alert[];
}

/** The columns of a line that the transitions of its break change. */
export interface BreakState extends Pick<
  ReconciliationLine,
  'owner' | 'resolution' | 'note' | 'proposedBy' | 'proposedAt' | 'resolvedBy' | 'resolvedAt'
> {
  readonly status: BreakStatus;
}
