import type { DayRange } from '../../../http/request/date-range.js';
import type { Money } from '../../../common/money.js';
import type { AlertKind } from '../../core/alerts/alerts.types.js';
import type { Alert } from '../../core/alerts/entities/alert.entity.js';
import type { BreakStatus } from './domain/break.state-machine.js';
import type { Outcome } from './domain/comparison.js';
import type { MovementDirection, StatementFormat, StatementSource } from './domain/movement.js';
import type { ReconciliationLine } from './entities/reconciliation-line.entity.js';
import type { PageRequest } from '../../../lists/list-page.js';

/** A row in which amounts are decimal text. */
export type Stored<Row> = {
  [Field in keyof Row]: Money extends Row[Field] ? Exclude<Row[Field], Money> | string : Row[Field];
};

/** The kinds of alerts about money that the statements of a provider cover. */
export const ALERT_KINDS: Readonly<Record<StatementSource, readonly AlertKind[]>> = {
  'deposit-provider': ['deposit-reorganised', 'second-transfer', 'deposit-unconfirmed'],
  custody: ['withdrawal-paid-after-failure'],
};

/** The statement to compare: a list of lines, a CSV text, or neither to read the provider's own list. */
export interface StatementInput {
  readonly source: StatementSource;
  readonly from: string;
  readonly to: string;
  readonly format: StatementFormat;
  readonly lines?: readonly unknown[] | null;
  readonly csv?: string | null;
}

/** Money moved in one direction and currency, according to the statement (`there`) and the platform's records (`here`). */
export interface Sum {
  readonly currency: string;
  readonly direction: MovementDirection;
  readonly there: Money;
  readonly here: Money;
}

export interface NewReconciliation {
  readonly id: string;
  readonly source: StatementSource;
  readonly format: StatementFormat;
  readonly range: DayRange;
  readonly by: string;
  readonly at: Date;
  readonly unreadable: number;
  readonly chainUnread: number;
  readonly lines: number;
  readonly counts: Readonly<Record<Outcome, number>>;
  readonly sums: readonly Sum[];
  /** Ids of the open alerts of this source. */
  readonly alerts: readonly string[];
}

export interface ReconciliationDetails {
  readonly id: string;
  readonly source: StatementSource;
  readonly format: StatementFormat;
  readonly from: string;
  readonly to: string;
  readonly by: string;
  readonly at: Date;
  readonly lines: number;
  readonly matched: number;
  readonly missingHere: number;
  readonly missingThere: number;
  readonly differing: number;
  readonly unreadable: number;
  readonly chainUnread: number;
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

export interface LinesFilter extends PageRequest {
  readonly outcome?: Outcome | undefined;
  readonly status?: BreakStatus | undefined;
  readonly owner?: string | undefined;
}
