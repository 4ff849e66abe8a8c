import { randomInt } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { setClockOffset } from '../../../database/database-clock.js';
import { Snapshots, type Snapshot } from '../../../database/snapshots.js';
import { Clock } from '../../../common/clock.js';
import {
  verdictOf,
  type Finding,
  type Invariant,
  type SqlInvariant,
  type Verdict,
  type Violation,
} from './domain/invariant.js';
import { LogCheckService, type LogDeviations } from '../proofs/log-check.service.js';
import { DECISION_INVARIANTS } from './decision-invariants.repository.js';
import { HISTORY_INVARIANTS } from './history-invariants.repository.js';
import { LEDGER_INVARIANTS, SHARED_TABLES } from './ledger-invariants.repository.js';
import { RECORD_INVARIANTS } from './record-invariants.repository.js';
import { SealsRepository } from '../../core/seals/seals.repository.js';

const SQL_INVARIANTS: readonly SqlInvariant[] = [
  ...LEDGER_INVARIANTS,
  ...RECORD_INVARIANTS,
  ...HISTORY_INVARIANTS,
  ...DECISION_INVARIANTS,
];

/** Invariants that read no shared table. */
const OTHERS: ReadonlySet<string> = new Set([
  ...['reserved', 'invested', 'units', 'accrued-growth', 'days-begun', 'transaction-history'],
  ...['history', 'suspense', 'withdrawal-steps', 'closings'],
  ...DECISION_INVARIANTS.map(({ name }) => name),
]);
const INVARIANTS_OF_TABLES = SQL_INVARIANTS.filter(({ name }) => !OTHERS.has(name));
const OTHER_INVARIANTS = SQL_INVARIANTS.filter(({ name }) => OTHERS.has(name));

/** Its violations are parts of the log that differ, such as a leaf or a tile, each with `expected` 1 and `actual` 0. */
const LOG_INVARIANT: Invariant = {
  name: 'sealed-history',
  description:
    'Each leaf of the transparency log equals the rows of the ledger and the liabilities of days, and its tree has the root of the newest signed checkpoint.',
  severity: 'owed',
};

/** Its violations are reports, each with `expected` 1 and `actual` 0. */
const SEAL_INVARIANT: Invariant = {
  name: 'yield-reports',
  description:
    'Each yield report that sets or corrects a rate has the seal that the service has given to it.',
  severity: 'owed',
};

export const INVARIANTS: readonly Invariant[] = [...SQL_INVARIANTS, LOG_INVARIANT, SEAL_INVARIANT];

/** The results of checking all invariants. */
export interface IntegrityCheck {
  /** Domain time at which the check began, just before the snapshot. */
  readonly checkedAt: Date;
  readonly durationMs: number;
  /** Number of entries in the ledger. */
  readonly entries: number;
  /** One for each invariant. */
  readonly findings: readonly Finding[];
  readonly verdict: Verdict;
}

interface CheckRow extends Omit<Violation, 'userId'> {
  invariant: string;
  user_id: string | null;
  violation_count: string;
}

/** The results of the checks that do not read the shared tables. */
interface OtherResults {
  readonly rows: readonly CheckRow[];
  readonly deviations: LogDeviations;
  readonly forgedReports: readonly string[];
}

const MAX_VIOLATIONS = 100;
const ENTRIES = 'entries';

const resultsOf = (invariants: readonly SqlInvariant[]) =>
  invariants
    .map(
      ({ name }) => `
  (select '${name}' as invariant, subject, user_id, trim_scale(expected)::text as expected, trim_scale(actual)::text as actual,
          trim_scale(actual - expected)::text as difference, count(*) over () as violation_count
     from "${name}" order by subject limit ${MAX_VIOLATIONS})`,
    )
    .join('\n  union all');
const ctesOf = (invariants: readonly SqlInvariant[]) =>
  invariants.map(({ name, sql }) => `"${name}" as (${sql})`).join(',\n  ');

/**
 * Two statements, so that PostgreSQL computes the shared tables once and plans the invariants without them by themselves. They run at
 * once. The first row of this one has the number of ledger entries in the column of the violation count.
 */
const CHECK_OF_TABLES = `
  with ${SHARED_TABLES},
  ${ctesOf(INVARIANTS_OF_TABLES)}
  select '${ENTRIES}' as invariant, '' as subject, null::uuid as user_id, '0' as expected, '0' as actual, '0' as difference,
         coalesce(sum(entries), 0) as violation_count from posted
  union all ${resultsOf(INVARIANTS_OF_TABLES)}`;
const OTHER_CHECK = `
  with seed as (select $1::bigint), ${ctesOf(OTHER_INVARIANTS)} ${resultsOf(OTHER_INVARIANTS)}`;

/** The two statements occupy two processors. Parallel workers for them cost more than they save there, and take processors from requests. */
const WITHOUT_WORKERS = `set local max_parallel_workers_per_gather = 0`;

const MAX_SEED = 2 ** 48 - 1; // the limit of randomInt

/** Checks all invariants in one snapshot. Reads the tables of all modules that hold money, and writes nothing. */
@Injectable()
export class InvariantsRepository {
  constructor(
    private readonly snapshots: Snapshots,
    private readonly clock: Clock,
    private readonly logCheck: LogCheckService,
    private readonly seals: SealsRepository,
  ) {}

  /** Throws an error when `stopping` is aborted. */
  async checkInvariants(stopping?: AbortSignal): Promise<IntegrityCheck> {
    const started = performance.now();
    const checkedAt = this.clock.now();
    const results = await this.snapshots.readBothWithoutTimeouts(
      (snapshot) => this.checkTables(snapshot),
      (snapshot) => this.checkOthers(snapshot),
      stopping,
    );
    const check = toCheck(...results);
    return {
      checkedAt,
      durationMs: Math.round(performance.now() - started),
      ...check,
      verdict: verdictOf(check.findings),
    };
  }

  /** The same checks one after the other, on one connection. */
  async checkSnapshot(snapshot: Snapshot): Promise<Pick<IntegrityCheck, 'entries' | 'findings'>> {
    return toCheck(await this.checkTables(snapshot), await this.checkOthers(snapshot));
  }

  private checkTables(snapshot: Snapshot): Promise<CheckRow[]> {
    return this.runCheck(snapshot, CHECK_OF_TABLES);
  }

  private async checkOthers(snapshot: Snapshot): Promise<OtherResults> {
    const rows = await this.runCheck(snapshot, OTHER_CHECK);
    const deviations = await this.logCheck.findDeviations(snapshot, MAX_VIOLATIONS);
    return { rows, deviations, forgedReports: await this.seals.findForgedReports(snapshot) };
  }

  private async runCheck(snapshot: Snapshot, sql: string): Promise<CheckRow[]> {
    await setClockOffset(snapshot, this.clock);
    await snapshot.query(WITHOUT_WORKERS, []);
    return snapshot.query<CheckRow>(sql, [randomInt(MAX_SEED)]);
  }
}

function toCheck(
  rowsOfTables: readonly CheckRow[],
  { rows: otherRows, deviations, forgedReports }: OtherResults,
): Pick<IntegrityCheck, 'entries' | 'findings'> {
  const rowsOf = (name: string) => [...rowsOfTables, ...otherRows].filter((row) => row.invariant === name);
  const sqlFindings = SQL_INVARIANTS.map((invariant) => {
    const violated = rowsOf(invariant.name);
    const violationCount = Number(violated[0]?.violation_count ?? 0);
    return { invariant, violations: violated.map(toViolation), violationCount };
  });
  const forged = forgedReports.map((id) => `yield report ${id}`);
  return {
    entries: Number(rowsOf(ENTRIES)[0]?.violation_count ?? 0),
    findings: [
      ...sqlFindings,
      toFinding(LOG_INVARIANT, deviations.subjects, deviations.total),
      toFinding(SEAL_INVARIANT, forged.slice(0, MAX_VIOLATIONS), forged.length),
    ],
  };
}

function toViolation({ subject, user_id: userId, expected, actual, difference }: CheckRow): Violation {
  return { subject, userId, expected, actual, difference };
}

function toFinding(invariant: Invariant, subjects: readonly string[], violationCount: number): Finding {
  const violations = subjects.map((subject) => ({
    subject,
    userId: null,
    expected: '1',
    actual: '0',
    difference: '-1',
  }));
  return { invariant, violations, violationCount };
}
