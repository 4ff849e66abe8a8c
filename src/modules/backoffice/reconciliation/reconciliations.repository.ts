import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { countRows } from '../../../lists/count-rows.js';
import { insertIfNew, lockRow, updateRow } from '../../../database/entity-rows.js';
import type { Tx } from '../../../database/unit-of-work.js';
import type { Rows } from '../../../http/request/pagination.js';
import { createdWithin, creationPeriod, type CreationFilter } from '../../../lists/creation-period.js';
import { findEntityPage, listFilter } from '../../../lists/find-page.js';
import { byTime, ListPage, type PageRequest } from '../../../lists/list-page.js';
import { throwError } from '../../../common/errors/domain-error.js';
import { newId } from '../../../common/ids.js';
import { Money } from '../../../common/money.js';
import { alertsOpenAt } from '../../core/alerts/alerts.repository.js';
import type { Alert } from '../../core/alerts/entities/alert.entity.js';
import type { Comparison } from './domain/comparison.js';
import type { StatementSource } from './domain/movement.js';
import type { ReconciliationLinesQuery } from './dto/reconciliations.request.js';
import { Reconciliation, ReconciliationLine } from './entities/reconciliation.entity.js';
import {
  ALERT_KINDS,
  type BreakState,
  type NewReconciliation,
  type ReconciliationDetails,
  type Stored,
  type Sum,
} from './reconciliation.types.js';

type StoredAlert = Omit<Alert, 'createdAt' | 'resolvedAt'> & { createdAt: string; resolvedAt: string | null };
type StoredDetails = Omit<ReconciliationDetails, 'sums' | 'alerts'> & {
  readonly sums: readonly Stored<Sum>[];
  readonly alerts: readonly StoredAlert[];
};

const kindsOf = (source: StatementSource) => `'{${ALERT_KINDS[source].join(',')}}'::text[]`;

/** The kinds of alerts about money of the provider of the reconciliation `head`. */
const ALERT_KINDS_OF_HEAD = `case head.source when 'custody' then ${kindsOf('custody')} else ${kindsOf('deposit-provider')} end`;

const SELECT_DETAILS = `
  select head.id, head.source, head.format, head.first_day::text as "from", head.last_day::text as "to",
         head.made_by as by, head.made_at as at, head.lines, head.matched, head.missing_here as "missingHere",
         head.missing_there as "missingThere", head.differing, head.unreadable,
         head.chain_unread as "chainUnread", head.sums,
         ${alertsOpenAt(ALERT_KINDS_OF_HEAD, 'head.made_at')} as alerts,
         (select count(*)::int from reconciliation_line as line
           where line.reconciliation_id = head.id and line.status in ('open', 'assigned', 'proposed')) as unresolved`;

/** Lines of one INSERT statement, which bounds its time and memory. */
const INSERT_BATCH_LINES = 5_000;

/** Fills columns that the objects lack with null. */
const INSERT_LINES = `
  insert into reconciliation_line select * from jsonb_populate_recordset(null::reconciliation_line, $1::jsonb)`;

@Injectable()
export class ReconciliationsRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** One page, newest first. */
  async findPage(request: PageRequest & CreationFilter): Promise<Rows<ReconciliationDetails>> {
    const filter = listFilter(...createdWithin('head.made_at', creationPeriod(request)));
    const parameters: unknown[] = [...filter.parameters];
    const page = new ListPage(request, byTime('head.made_at', 'head.id'), parameters);
    const rows = await this.dataSource.query<StoredDetails[]>(
      `${SELECT_DETAILS}, ${page.key}
         from (select * from reconciliation as head where ${filter.where} and ${page.condition} ${page.orderBy} ${page.limit}) as head
        ${page.orderBy}`,
      parameters,
    );
    const listed = `reconciliation as head where ${filter.where}`;
    const total = await countRows(this.dataSource, listed, filter.parameters);
    return { ...page.cut(rows, toDetails), total };
  }

  /** Throws RECONCILIATION_NOT_FOUND. */
  async getDetails(
    id: string,
    manager: EntityManager = this.dataSource.manager,
  ): Promise<ReconciliationDetails> {
    const [row] = await manager.query<StoredDetails[]>(
      `${SELECT_DETAILS} from reconciliation as head where head.id = $1`,
      [id],
    );
    return row ? toDetails(row) : throwError('RECONCILIATION_NOT_FOUND');
  }

  /**
   * One page of lines: the lines of the statement in its order, after them its lines of adjacent days, then the records that the
   * statement lacks. Throws RECONCILIATION_NOT_FOUND.
   */
  async findLines(
    reconciliationId: string,
    filter: ReconciliationLinesQuery,
  ): Promise<Rows<ReconciliationLine>> {
    const lines = listFilter(
      ['reconciliation_id = ?', reconciliationId],
      ['outcome = ?', filter.outcome],
      ['status = ?', filter.status],
      ['owner = ?', filter.owner?.toLowerCase()],
    );
    const [count] = await this.dataSource.query<{ total: number }[]>(
      `select (select count(*)::int from reconciliation_line where ${lines.where}) as total
         from reconciliation where id = $1`, // the parameter of the first condition above
      [...lines.parameters],
    );
    if (!count) throwError('RECONCILIATION_NOT_FOUND');
    const page = await findEntityPage(
      this.dataSource.manager,
      ReconciliationLine,
      lines,
      { keys: [['position', 'integer']], direction: 'asc' },
      filter,
    );
    return { ...page, total: count.total };
  }

  /** Throws RECONCILIATION_EXISTS if an earlier reconciliation compared the same statement with the same result. */
  async insertReconciliation(
    tx: Tx,
    created: NewReconciliation,
    comparisons: readonly Comparison[],
  ): Promise<void> {
    const rows = comparisons.map(toLineRow); // without ids, as the fingerprint has to be equal for equal lines
    const fingerprint = fingerprintOf(created, rows);
    const sums = created.sums.map((sum) => ({
      ...sum,
      there: sum.there.toString(),
      here: sum.here.toString(),
    }));
    if (!(await insertIfNew(tx, Reconciliation, { ...created, sums, fingerprint }))) {
      const earlier = await tx.findOneBy(Reconciliation, { fingerprint });
      throwError('RECONCILIATION_EXISTS', { reconciliationId: earlier?.id });
    }
    for (let from = 0; from < rows.length; from += INSERT_BATCH_LINES) {
      const batch = rows.slice(from, from + INSERT_BATCH_LINES);
      const lines = batch.map((row) => ({ ...row, id: newId(), reconciliation_id: created.id }));
      await tx.query(INSERT_LINES, [JSON.stringify(lines)]);
    }
  }

  /** Throws RECONCILIATION_BREAK_NOT_FOUND for an unknown line, and for one that matches. */
  async lockBreak(tx: Tx, id: string): Promise<ReconciliationLine & BreakState> {
    const line = await lockRow(tx, ReconciliationLine, id);
    if (!line?.status) throwError('RECONCILIATION_BREAK_NOT_FOUND');
    return line as ReconciliationLine & BreakState;
  }

  /** The caller has locked the break (`lockBreak`). No other method changes the status of a break. */
  updateBreak(tx: Tx, id: string, changes: Partial<BreakState>): void {
    updateRow(tx, ReconciliationLine, id, changes);
  }
}

function toDetails(row: StoredDetails): ReconciliationDetails {
  const sums = row.sums.map((sum) => ({ ...sum, there: Money.of(sum.there), here: Money.of(sum.here) }));
  const alerts = row.alerts.map((alert) => ({
    ...alert,
    createdAt: new Date(alert.createdAt),
    resolvedAt: alert.resolvedAt === null ? null : new Date(alert.resolvedAt),
  }));
  return { ...row, sums, alerts };
}

/** The columns of a line by their names in the database, without the ids. */
function toLineRow(comparison: Comparison, index: number) {
  const { there, here } = comparison;
  return {
    position: index + 1,
    outcome: comparison.outcome,
    differs: comparison.differs,
    direction: comparison.direction,
    currency: comparison.currency,
    line: there?.line ?? null,
    duplicate_of: comparison.duplicateOf,
    there_reference: there?.reference ?? null,
    there_tx_hash: there?.txHash ?? null,
    there_network: there?.network ?? null,
    there_amount: there?.amount.toString() ?? null,
    there_status: there?.status ?? null,
    there_at: there?.at ?? null,
    here_type: here?.type ?? null,
    here_ids: here?.ids ?? null,
    here_tx_hash: here?.txHash ?? null,
    here_network: here?.network ?? null,
    here_amount: here?.amount.toString() ?? null,
    here_status: here?.status ?? null,
    here_at: here?.at ?? null,
    difference: comparison.difference.toString(),
    dust: comparison.dust.toString(),
    chain_verdict: comparison.chainVerdict,
    chain_amount: comparison.chainAmount?.toString() ?? null,
    status: comparison.outcome === 'matched' ? null : 'open',
  };
}

/** Equal for the same days, the same statement, the same results and the same open alerts. */
function fingerprintOf(
  { source, firstDay, lastDay, unreadable, alerts }: NewReconciliation,
  rows: readonly object[],
): string {
  const hash = createHash('sha256').update(
    JSON.stringify([source, firstDay, lastDay, unreadable, ...alerts]),
  );
  for (const row of rows) hash.update(JSON.stringify(row));
  return hash.digest('hex');
}
