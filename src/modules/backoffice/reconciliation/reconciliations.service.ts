import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../database/unit-of-work.js';
import type { AdminPrincipal } from '../../../http/auth/principal.js';
import { dayRange, type DayRange } from '../../../http/request/date-range.js';
import type { Rows } from '../../../http/request/pagination.js';
import { Clock } from '../../../common/clock.js';
import { dayOf } from '../../../common/days.js';
import { throwError } from '../../../common/errors/domain-error.js';
import { newId } from '../../../common/ids.js';
import { Money } from '../../../common/money.js';
import { AlertsService } from '../../core/alerts/alerts.service.js';
import { AuditService } from '../../core/audit/audit.service.js';
import { BookRecordsRepository } from './book-records.repository.js';
import { ChainEvidenceService } from './chain-evidence.service.js';
import { compare, findDuplicates, type Comparison, type Outcome } from './domain/comparison.js';
import { MAX_DAYS, type BookRecord, type StatementLine, type StatementSource } from './domain/movement.js';
import { pairMovements, type Pair } from './domain/pairing.js';
import { readStatementCsv, readStatementObjects } from './domain/statement-reader.js';
import type { MakeReconciliationRequest, ReconciliationLinesQuery } from './dto/reconciliations.request.js';
import type { ReconciliationLine } from './entities/reconciliation.entity.js';
import { ProviderStatementService, type ProviderStatement } from './provider-statement.service.js';
import {
  ALERT_KINDS,
  type NewReconciliation,
  type ReconciliationDetails,
  type Sum,
} from './reconciliation.types.js';
import { ReconciliationsRepository } from './reconciliations.repository.js';
import type { CreationFilter } from '../../../lists/creation-period.js';
import type { PageRequest } from '../../../lists/list-page.js';

/** Chain verdicts that state why the chain shows no amount. */
const CHAIN_UNREAD: readonly unknown[] = ['pending', 'unreachable', 'not-read'];

/** Compares statements of the providers with the ledger and the chain. */
@Injectable()
export class ReconciliationsService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
    private readonly providerStatement: ProviderStatementService,
    private readonly bookRecords: BookRecordsRepository,
    private readonly chainEvidence: ChainEvidenceService,
    private readonly repository: ReconciliationsRepository,
    private readonly audit: AuditService,
    private readonly alerts: AlertsService,
  ) {}

  listReconciliations(request: PageRequest & CreationFilter): Promise<Rows<ReconciliationDetails>> {
    return this.repository.findPage(request);
  }

  /** Throws RECONCILIATION_NOT_FOUND. */
  getReconciliation(id: string): Promise<ReconciliationDetails> {
    return this.repository.getDetails(id);
  }

  /** Throws RECONCILIATION_NOT_FOUND. */
  listLines(id: string, filter: ReconciliationLinesQuery): Promise<Rows<ReconciliationLine>> {
    return this.repository.findLines(id, filter);
  }

  /**
   * Reads and compares everything before the transaction that stores the result. Throws VALIDATION_ERROR,
   * MISSING_REQUIRED_FIELD, INVALID_DATE_RANGE, CRYPTO2B_API_ERROR, RECONCILIATION_EXISTS.
   */
  async createReconciliation(
    input: MakeReconciliationRequest,
    admin: AdminPrincipal,
  ): Promise<ReconciliationDetails> {
    const { source, format } = input;
    // `lastDays` has no effect, because both days are given.
    const range = dayRange({ startDate: input.from, endDate: input.to }, this.clock.now(), {
      lastDays: 1,
      atMost: MAX_DAYS,
    });
    const { lines, unreadable } = await this.readStatement(input, range);
    const comparisons = await this.compareLines(source, range, lines);
    const counts = countOutcomes(comparisons);
    const created: NewReconciliation = {
      id: newId(),
      source,
      format,
      firstDay: range.from,
      lastDay: range.to,
      unreadable,
      madeBy: admin.email,
      madeAt: this.clock.now(),
      lines: comparisons.filter(({ there }) => there).length,
      chainUnread: comparisons.filter(({ chainVerdict }) => CHAIN_UNREAD.includes(chainVerdict)).length,
      matched: counts.matched,
      missingHere: counts['missing-here'],
      missingThere: counts['missing-there'],
      differing: counts.differing,
      sums: sumMovements(comparisons),
      alerts: (await this.alerts.listOpenAlerts(ALERT_KINDS[source])).map(({ id }) => id),
    };
    return this.unitOfWork.runInTransaction(async (tx) => {
      await this.repository.insertReconciliation(tx, created, comparisons);
      await this.audit.record(tx, admin, {
        action: 'reconciliation.make',
        subject: { type: 'reconciliation', id: created.id },
        after: { source, format, from: range.from, to: range.to, lines: created.lines, ...counts },
      });
      return this.repository.getDetails(created.id, tx);
    });
  }

  private async readStatement(input: MakeReconciliationRequest, range: DayRange): Promise<ProviderStatement> {
    const { source, format, lines, csv } = input;
    requireMatchingFormat(input);
    if (format === 'provider') return this.providerStatement.fetchStatement(range);
    const parsed =
      format === 'csv'
        ? readStatementCsv(csv as string, source, range)
        : readStatementObjects(lines ?? [], source, range);
    return { lines: parsed, unreadable: 0 };
  }

  private async compareLines(
    source: StatementSource,
    range: DayRange,
    lines: readonly StatementLine[],
  ): Promise<Comparison[]> {
    const isInRange = (line: StatementLine) => dayOf(line.at) >= range.from && dayOf(line.at) <= range.to;
    // Near midnight a record of the range may match a line of the adjacent day. Such lines are paired last, so that
    // they take no record from a line of the range.
    const ordered = [...lines.filter(isInRange), ...lines.filter((line) => !isInRange(line))];
    const records = await this.bookRecords.findRecords(source, range, lines);
    // Pairs without a line or a posting in the range belong to other days. A failed record whose posting is reversed moved nothing.
    const isMoved = ({ isPostedInRange, status, posted }: BookRecord) =>
      isPostedInRange && !(status === 'failed' && posted === null);
    const pairs = pairMovements(ordered, records).filter(
      (pair) => (pair.line && isInRange(pair.line)) || pair.records.some(isMoved),
    );
    const doubtful = new Set<Pair>(pairs.filter((pair) => compare(pair).outcome !== 'matched'));
    const evidence = await this.chainEvidence.getEvidence(pairs, doubtful);
    const duplicates = findDuplicates(lines);
    return pairs.map((pair) =>
      compare(pair, evidence.get(pair), (pair.line && duplicates.get(pair.line)) ?? null),
    );
  }
}

/** Throws unless the input contains exactly the statement that its format names. */
function requireMatchingFormat({ source, format, lines, csv }: MakeReconciliationRequest): void {
  const refuse = (field: string, message: string) => throwError('VALIDATION_ERROR', [{ field, message }]);
  const missing = (field: string) =>
    throwError('MISSING_REQUIRED_FIELD', [{ field, message: `is needed with the format ${format}` }]);
  const hasLines = (lines ?? null) !== null;
  const hasCsv = (csv ?? null) !== null;
  if (format === 'provider' && source === 'custody')
    refuse(
      'format',
      'the custody provider has no list to read: send its statement in the format json or csv',
    );
  if (format === 'json' && !hasLines) missing('lines');
  if (format === 'csv' && !hasCsv) missing('csv');
  if (format !== 'json' && hasLines)
    refuse('lines', `is allowed only with the format json, not with ${format}`);
  if (format !== 'csv' && hasCsv) refuse('csv', `is allowed only with the format csv, not with ${format}`);
}

function countOutcomes(comparisons: readonly Comparison[]): Record<Outcome, number> {
  const counts = { matched: 0, 'missing-here': 0, 'missing-there': 0, differing: 0 };
  for (const { outcome } of comparisons) counts[outcome] += 1;
  return counts;
}

function sumMovements(comparisons: readonly Comparison[]): Sum[] {
  const sums = new Map<string, Sum>();
  for (const { currency, direction, movedThere, movedHere } of comparisons) {
    const key = `${currency} ${direction}`;
    const { there, here } = sums.get(key) ?? { there: Money.ZERO, here: Money.ZERO };
    sums.set(key, { currency, direction, there: there.plus(movedThere), here: here.plus(movedHere) });
  }
  return [...sums].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, sum]) => sum);
}
