import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { countRows } from '../../database/count-rows.js';
import { offsetOf, type Rows } from '../../http/request/pagination.js';
import { fail } from '../../common/errors/domain-error.js';
import { Money } from '../../common/money.js';
import type { Alert } from '../alerts/alerts.repository.js';
import { ALERTS_WHEN_MADE } from './alerts-of-sources.js';
import type { BreakStatus } from './domain/break.state-machine.js';
import type { ChainVerdict, Difference, Outcome } from './comparison.js';
import type { RecordType } from './our-records.queries.js';
import type { BreakFacts, Sum } from './reconciliation.records.js';
import type { Direction, Format, Progress, Source } from './statement-line.js';

interface Page {
  page: number;
  limit: number;
}

export interface LineFilter extends Page {
  outcome?: string | undefined;
  status?: string | undefined;
  owner?: string | undefined;
}

export interface Reconciliation {
  readonly id: string;
  readonly source: Source;
  readonly format: Format;
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
  /** Breaks that are not resolved yet. */
  readonly unresolved: number;
  readonly sums: readonly Sum[];
  /** Open when it was made. */
  readonly alerts: readonly Alert[];
}

/** A line as it is stored; an absent side has nulls throughout. */
export interface ReconciliationLine extends BreakFacts {
  readonly id: string;
  readonly outcome: Outcome;
  readonly differs: readonly Difference[];
  readonly direction: Direction;
  readonly currency: string;
  readonly line: number | null;
  readonly duplicateOf: number | null;
  readonly thereReference: string | null;
  readonly thereTxHash: string | null;
  readonly thereNetwork: string | null;
  readonly thereAmount: Money | null;
  readonly thereStatus: Progress | null;
  readonly thereAt: Date | null;
  readonly hereType: RecordType | null;
  readonly hereIds: readonly string[] | null;
  readonly hereTxHash: string | null;
  readonly hereNetwork: string | null;
  readonly hereAmount: Money | null;
  readonly hereStatus: Progress | null;
  readonly hereAt: Date | null;
  readonly difference: Money;
  readonly dust: Money;
  readonly chainVerdict: ChainVerdict | null;
  readonly chainAmount: Money | null;
  readonly status: BreakStatus | null;
}

type Stored<Row> = {
  [Field in keyof Row]: Money extends Row[Field] ? Exclude<Row[Field], Money> | string : Row[Field];
};
type StoredAlert = Omit<Alert, 'createdAt' | 'resolvedAt'> & { createdAt: string; resolvedAt: string | null };
type StoredReconciliation = Omit<Reconciliation, 'sums' | 'alerts'> & {
  readonly sums: readonly Stored<Sum>[];
  readonly alerts: readonly StoredAlert[];
};

const HEAD = `
  select head.id, head.source, head.format, head.first_day::text as "from", head.last_day::text as "to",
         head.made_by as by, head.made_at as at, head.lines, head.matched, head.missing_here as "missingHere",
         head.missing_there as "missingThere", head.differing, head.unreadable,
         head.chain_unread as "chainUnread", head.sums, ${ALERTS_WHEN_MADE} as alerts,
         (select count(*)::int from reconciliation_line as line
           where line.reconciliation_id = head.id and line.status in ('open', 'assigned', 'proposed')) as unresolved`;

const LINES = `
  select id, outcome, differs, direction, currency, line, duplicate_of as "duplicateOf",
         there_reference as "thereReference", there_tx_hash as "thereTxHash", there_network as "thereNetwork",
         there_amount as "thereAmount", there_status as "thereStatus", there_at as "thereAt",
         here_type as "hereType", here_ids as "hereIds", here_tx_hash as "hereTxHash",
         here_network as "hereNetwork", here_amount as "hereAmount", here_status as "hereStatus",
         here_at as "hereAt", difference, dust, chain_verdict as "chainVerdict", chain_amount as "chainAmount",
         status, owner, resolution, note, proposed_by as "proposedBy", proposed_at as "proposedAt",
         resolved_by as "resolvedBy", resolved_at as "resolvedAt"
    from reconciliation_line`;

const LINE_FILTER = `
  reconciliation_id = $1 and ($2::text is null or outcome = $2) and ($3::text is null or status = $3)
  and ($4::text is null or owner = $4)`;

/** What admins read of reconciliations. A list costs two statements, however long it is. */
@Injectable()
export class ReconciliationQueries {
  constructor(private readonly dataSource: DataSource) {}

  async list(page: Page): Promise<Rows<Reconciliation>> {
    const rows = await this.dataSource.query<StoredReconciliation[]>(
      `${HEAD}
         from (select * from reconciliation order by made_at desc, id desc limit $1 offset $2) as head
        order by head.made_at desc, head.id desc`,
      [page.limit, offsetOf(page)],
    );
    const total = await countRows(this.dataSource, 'reconciliation');
    return { rows: rows.map(asReconciliation), total };
  }

  /** Inside `tx` as that transaction sees it. Throws RECONCILIATION_NOT_FOUND. */
  async get(id: string, tx: EntityManager = this.dataSource.manager): Promise<Reconciliation> {
    const [row] = await tx.query<StoredReconciliation[]>(
      `${HEAD} from reconciliation as head where head.id = $1`,
      [id],
    );
    return row ? asReconciliation(row) : fail('RECONCILIATION_NOT_FOUND');
  }

  /** In the statement's order, then what is missing there. Throws RECONCILIATION_NOT_FOUND. */
  async lines(id: string, filter: LineFilter): Promise<Rows<ReconciliationLine>> {
    const { outcome, status, owner } = filter;
    const chosen = [id, outcome ?? null, status ?? null, owner?.toLowerCase() ?? null];
    const [count] = await this.dataSource.query<{ total: number }[]>(
      `select (select count(*)::int from reconciliation_line where ${LINE_FILTER}) as total
         from reconciliation where id = $1`,
      chosen,
    );
    if (!count) fail('RECONCILIATION_NOT_FOUND');
    const rows = await this.dataSource.query<Stored<ReconciliationLine>[]>(
      `${LINES} where ${LINE_FILTER} order by position limit $5 offset $6`,
      [...chosen, filter.limit, offsetOf(filter)],
    );
    return { rows: rows.map(asLine), total: count.total };
  }

  /** One line, inside `tx`. Throws RECONCILIATION_BREAK_NOT_FOUND. */
  async line(id: string, tx: EntityManager): Promise<ReconciliationLine> {
    const [row] = await tx.query<Stored<ReconciliationLine>[]>(`${LINES} where id = $1`, [id]);
    return row ? asLine(row) : fail('RECONCILIATION_BREAK_NOT_FOUND');
  }
}

function asReconciliation(row: StoredReconciliation): Reconciliation {
  const sums = row.sums.map((sum) => ({ ...sum, there: Money.of(sum.there), here: Money.of(sum.here) }));
  const alerts = row.alerts.map((alert) => ({
    ...alert,
    createdAt: new Date(alert.createdAt),
    resolvedAt: alert.resolvedAt === null ? null : new Date(alert.resolvedAt),
  }));
  return { ...row, sums, alerts };
}

function asLine(row: Stored<ReconciliationLine>): ReconciliationLine {
  return {
    ...row,
    thereAmount: moneyOf(row.thereAmount),
    hereAmount: moneyOf(row.hereAmount),
    difference: Money.of(row.difference),
    dust: Money.of(row.dust),
    chainAmount: moneyOf(row.chainAmount),
  };
}

function moneyOf(text: string | null): Money | null {
  return text === null ? null : Money.of(text);
}
