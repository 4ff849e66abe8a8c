import type { PlatformEvent } from '../../../../events/domain-events.js';

// The API calls an invariant a law; the API and the stored runs call a violation a break.

/** `owed`: money owed to users may be wrong, so a new violation pauses withdrawals. `warning`: other figures differ. */
export type Severity = 'owed' | 'warning';

/** `holds`: no violation. `warning`: violations of severity warning only. `broken`: at least one of severity owed. */
export type Verdict = 'holds' | 'warning' | 'broken';

/** A condition that every committed state of the database has to meet. */
export interface Invariant {
  readonly name: string;
  readonly description: string;
  readonly severity: Severity;
}

export interface SqlInvariant extends Invariant {
  /**
   * Selects the columns subject, user_id (null if a violation concerns no single user), expected and actual of the violations.
   * It can read the tables of SHARED_TABLES (`posted`, `part`, `tally`, `book`, `closed`); $1 is the seed of the hashes.
   */
  readonly sql: string;
}

/** A record that contradicts an invariant. Amounts are decimal text with all digits. */
export interface Violation {
  /** Names the record, such as an account, an entry, a strategy or a leaf of the log. */
  readonly subject: string;
  readonly userId: string | null;
  readonly expected: string;
  readonly actual: string;
  /** actual − expected */
  readonly difference: string;
}

/** The result of checking one invariant. */
export interface Finding {
  readonly invariant: Invariant;
  /** The first hundred violations at most. */
  readonly violations: readonly Violation[];
  /** The number of all violations. */
  readonly violationCount: number;
}

/** A violated invariant as `integrity_run.broken` stores it. */
export interface ViolatedInvariant {
  readonly name: string;
  readonly severity: Severity;
  readonly breakCount: number;
  readonly breaks: readonly Violation[];
}

/** The worst result of all findings. */
export function verdictOf(findings: readonly Finding[]): Verdict {
  const violated = violatedInvariants(findings);
  if (violated.some(({ severity }) => severity === 'owed')) return 'broken';
  return violated.length > 0 ? 'warning' : 'holds';
}

export function violatedInvariants(findings: readonly Finding[]): ViolatedInvariant[] {
  return findings
    .filter(({ violationCount }) => violationCount > 0)
    .map(({ invariant: { name, severity }, violationCount, violations }) => ({
      name,
      severity,
      breakCount: violationCount,
      breaks: violations,
    }));
}

/**
 * True if the run contains each violation of `violated` with the same difference, and counts at least as many violations of
 * the invariant: those after the first hundred are counted and not stored.
 */
export function containsViolations(
  run: { readonly broken: readonly ViolatedInvariant[] } | null,
  violated: ViolatedInvariant,
): boolean {
  const earlier = run?.broken.find(({ name }) => name === violated.name);
  if (!earlier || earlier.breakCount < violated.breakCount) return false;
  const earlierBreaks = new Set(earlier.breaks.map(({ subject, difference }) => `${subject} ${difference}`));
  return violated.breaks.every(({ subject, difference }) => earlierBreaks.has(`${subject} ${difference}`));
}

/** Topic `integrity`: emitted in the transaction that stores a run with violated invariants. */
export interface IntegrityViolationEvent extends PlatformEvent {
  readonly name: 'integrity.violation';
  readonly runId: string;
}
