import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../database/unit-of-work.js';
import type { AdminPrincipal } from '../../http/auth/principal.js';
import { dayRange, type DayRange } from '../../http/request/date-range.js';
import { Clock } from '../../common/clock.js';
import { dayOf } from '../../common/days.js';
import { fail } from '../../common/errors/domain-error.js';
import { newId } from '../../common/ids.js';
import { Money } from '../../common/money.js';
import { AlertsRepository } from '../alerts/alerts.repository.js';
import { AuditService } from '../audit/audit.service.js';
import { ALERTS_OF } from './alerts-of-sources.js';
import { ChainEvidence } from './chain-evidence.js';
import { compare, duplicatesAmong, type Compared, type Outcome } from './comparison.js';
import { OurRecords } from './our-records.queries.js';
import { pairUp, type Pair } from './pairing.js';
import { ProviderList, type ProviderStatement } from './provider-list.js';
import { ReconciliationQueries, type Reconciliation } from './reconciliations.queries.js';
import { ReconciliationRecords, type NewReconciliation, type Sum } from './reconciliation.records.js';
import { MOST_DAYS, type Format, type Source, type StatementLine } from './statement-line.js';
import { readCsvLines, readLines } from './statement-reader.js';

export interface StatementWish {
  readonly source: Source;
  readonly from: string;
  readonly to: string;
  readonly format: Format;
  readonly lines?: readonly unknown[] | null;
  readonly csv?: string | null;
}

const UNREAD: readonly unknown[] = ['pending', 'unreachable', 'not-read'];

/** Compares statements of providers with the books and the chain. */
@Injectable()
export class ReconciliationsService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
    private readonly providerList: ProviderList,
    private readonly ourRecords: OurRecords,
    private readonly chain: ChainEvidence,
    private readonly records: ReconciliationRecords,
    private readonly queries: ReconciliationQueries,
    private readonly audit: AuditService,
    private readonly alerts: AlertsRepository,
  ) {}

  /**
   * Everything is read and compared before the transaction begins that stores it. Throws VALIDATION_ERROR,
   * MISSING_REQUIRED_FIELD, INVALID_DATE_RANGE, CRYPTO2B_API_ERROR, RECONCILIATION_EXISTS.
   */
  async make(wish: StatementWish, admin: AdminPrincipal): Promise<Reconciliation> {
    const { source, format } = wish;
    const given = { startDate: wish.from, endDate: wish.to };
    const range = dayRange(given, this.clock.now(), { lastDays: 1, atMost: MOST_DAYS });
    const { lines, unreadable } = await this.statementOf(wish, range);
    const compared = await this.compareAll(source, range, lines);
    const made: NewReconciliation = {
      id: newId(),
      ...{ source, format, range, unreadable, by: admin.email, at: this.clock.now() },
      lines: compared.filter(({ there }) => there).length,
      chainUnread: compared.filter(({ chainVerdict }) => UNREAD.includes(chainVerdict)).length,
      counts: countsOf(compared),
      sums: sumsOf(compared),
      alerts: (await this.alerts.openOf(ALERTS_OF[source])).map(({ id }) => id),
    };
    return this.unitOfWork.runInTransaction(async (tx) => {
      await this.records.add(tx, made, compared);
      await this.audit.record(tx, admin, {
        action: 'reconciliation.make',
        subject: { type: 'reconciliation', id: made.id },
        after: { source, format, from: range.from, to: range.to, lines: made.lines, ...made.counts },
      });
      return this.queries.get(made.id, tx);
    });
  }

  private async statementOf(wish: StatementWish, range: DayRange): Promise<ProviderStatement> {
    const { source, format, lines, csv } = wish;
    requireOnly(wish);
    if (format === 'provider') return this.providerList.of(range);
    const read =
      format === 'csv' ? readCsvLines(csv as string, source, range) : readLines(lines ?? [], source, range);
    return { lines: read, unreadable: 0 };
  }

  private async compareAll(
    source: Source,
    range: DayRange,
    lines: readonly StatementLine[],
  ): Promise<Compared[]> {
    const within = (line: StatementLine) => dayOf(line.at) >= range.from && dayOf(line.at) <= range.to;
    // A line of the day before or after answers for a record of ours near midnight; it goes after those of the range.
    const ordered = [...lines.filter(within), ...lines.filter((line) => !within(line))];
    const all = pairUp(ordered, await this.ourRecords.toCompare(source, range, lines));
    const pairs = all.filter(
      ({ line, records }) => (line && within(line)) || records.some(({ inRange }) => inRange),
    );
    const doubtful = new Set<Pair>(pairs.filter((pair) => compare(pair).outcome !== 'matched'));
    const evidence = await this.chain.of(pairs, doubtful);
    const duplicates = duplicatesAmong(lines);
    return pairs.map((pair) =>
      compare(pair, evidence.get(pair), (pair.line && duplicates.get(pair.line)) ?? null),
    );
  }
}

/** A statement comes in the one way that its format says. */
function requireOnly({ source, format, lines, csv }: StatementWish): void {
  const refuse = (field: string, message: string) => fail('VALIDATION_ERROR', [{ field, message }]);
  const missing = (field: string) =>
    fail('MISSING_REQUIRED_FIELD', [{ field, message: `is needed with the format ${format}` }]);
  const given = { json: lines ?? undefined, csv: csv ?? undefined };
  if (format === 'provider' && source === 'custody')
    refuse('format', 'the custody provider has no list to read: give its statement as json or csv');
  if (format === 'json' && given.json === undefined) missing('lines');
  if (format === 'csv' && given.csv === undefined) missing('csv');
  if (format !== 'json' && given.json !== undefined) refuse('lines', `is for the format json, not ${format}`);
  if (format !== 'csv' && given.csv !== undefined) refuse('csv', `is for the format csv, not ${format}`);
}

function countsOf(compared: readonly Compared[]): Record<Outcome, number> {
  const counts = { matched: 0, 'missing-here': 0, 'missing-there': 0, differing: 0 };
  for (const { outcome } of compared) counts[outcome] += 1;
  return counts;
}

function sumsOf(compared: readonly Compared[]): Sum[] {
  const sums = new Map<string, Sum>();
  for (const { currency, direction, movedThere, movedHere } of compared) {
    const key = `${currency} ${direction}`;
    const { there, here } = sums.get(key) ?? { there: Money.ZERO, here: Money.ZERO };
    sums.set(key, { currency, direction, there: there.plus(movedThere), here: here.plus(movedHere) });
  }
  return [...sums].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, sum]) => sum);
}
