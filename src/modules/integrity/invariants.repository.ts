import { randomInt } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { setClockOffset } from '../../database/database-clock.js';
import { Snapshots } from '../../database/snapshots.js';
import { Clock } from '../../common/clock.js';
import {
  verdictOf,
  type Finding,
  type Invariant,
  type SqlInvariant,
  type Verdict,
  type Violation,
} from './domain/invariant.js';
import { LogCheckService, type LogDeviations } from '../proofs/log-check.service.js';
import { LEDGER_INVARIANTS, SHARED_TABLES } from './ledger-invariants.repository.js';
import { RECORD_INVARIANTS } from './record-invariants.repository.js';

const SQL_INVARIANTS: readonly SqlInvariant[] = [...LEDGER_INVARIANTS, ...RECORD_INVARIANTS];

/** Its violations are parts of the log that differ, such as a leaf or a tile, each with `expected` 1 and `actual` 0. */
const LOG_INVARIANT: Invariant = {
  name: 'sealed-history',
  description:
    'Each leaf of the transparency log equals the rows of the ledger and the liabilities of days, and its tree has the root of the newest signed checkpoint.',
  severity: 'owed',
};

export const INVARIANTS: readonly Invariant[] = [...SQL_INVARIANTS, LOG_INVARIANT];

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

const MAX_VIOLATIONS = 100;
const ENTRIES = 'entries';

/**
 * One statement for all SQL invariants, so that PostgreSQL computes the shared tables once. Its first row has the number of
 * ledger entries in the column of the violation count.
 */
const CHECK = `
  with ${SHARED_TABLES},
  ${SQL_INVARIANTS.map(({ name, sql }) => `"${name}" as (${sql})`).join(',\n  ')}
  select '${ENTRIES}' as invariant, '' as subject, null::uuid as user_id, '0' as expected, '0' as actual, '0' as difference,
         coalesce(sum(entries), 0) as violation_count from posted
  ${SQL_INVARIANTS.map(
    ({ name }) => `union all
  (select '${name}', subject, user_id, trim_scale(expected)::text, trim_scale(actual)::text,
          trim_scale(actual - expected)::text, count(*) over ()
     from "${name}" order by subject limit ${MAX_VIOLATIONS})`,
  ).join('\n  ')}`;

const MAX_SEED = 2 ** 48 - 1; // the limit of randomInt

/** Checks all invariants in one snapshot. Reads the tables of all modules that hold money, and writes nothing. */
@Injectable()
export class InvariantsRepository {
  constructor(
    private readonly snapshots: Snapshots,
    private readonly clock: Clock,
    private readonly logCheck: LogCheckService,
  ) {}

  /** Throws an error when `stopping` is aborted. */
  async checkInvariants(stopping?: AbortSignal): Promise<IntegrityCheck> {
    const started = performance.now();
    const checkedAt = this.clock.now();
    const [rows, deviations] = await this.snapshots.readWithoutTimeouts(async (snapshot) => {
      await setClockOffset(snapshot, this.clock);
      return [
        await snapshot.query<CheckRow>(CHECK, [randomInt(MAX_SEED)]),
        await this.logCheck.findDeviations(snapshot, MAX_VIOLATIONS),
      ] as const;
    }, stopping);
    const rowsOf = (name: string) => rows.filter((row) => row.invariant === name);
    const sqlFindings = SQL_INVARIANTS.map((invariant) => {
      const violated = rowsOf(invariant.name);
      const violationCount = Number(violated[0]?.violation_count ?? 0);
      return { invariant, violations: violated.map(toViolation), violationCount };
    });
    const findings = [...sqlFindings, toLogFinding(deviations)];
    return {
      checkedAt,
      durationMs: Math.round(performance.now() - started),
      entries: Number(rowsOf(ENTRIES)[0]?.violation_count ?? 0),
      findings,
      verdict: verdictOf(findings),
    };
  }
}

function toViolation({ subject, user_id: userId, expected, actual, difference }: CheckRow): Violation {
  return { subject, userId, expected, actual, difference };
}

function toLogFinding({ subjects, total }: LogDeviations): Finding {
  const violations = subjects.map((subject) => ({
    subject,
    userId: null,
    expected: '1',
    actual: '0',
    difference: '-1',
  }));
  return { invariant: LOG_INVARIANT, violations, violationCount: total };
}
