import { randomInt } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { setClockOffset } from '../../database/domain-day.js';
import { Snapshots } from '../../database/snapshots.js';
import { Clock } from '../../common/clock.js';
import type { Break, Law } from './law.js';
import { BOOK, LEDGER_LAWS } from './ledger.laws.js';
import { RECORD_LAWS } from './record.laws.js';

export const LAWS: readonly Law[] = [...LEDGER_LAWS, ...RECORD_LAWS];

/** What was found of a law. */
export interface Finding {
  readonly law: Law;
  /** The first hundred. */
  readonly breaks: readonly Break[];
  /** All there are. */
  readonly breakCount: number;
}

/** `holds`: every law does. `warning`: none is broken but warnings. */
export type Verdict = 'holds' | 'warning' | 'broken';

export interface Findings {
  /** Domain time at which the database was looked at. */
  readonly checkedAt: Date;
  readonly durationMs: number;
  /** Of the ledger. */
  readonly entries: number;
  /** One for each law. */
  readonly findings: readonly Finding[];
  readonly verdict: Verdict;
}

interface FoundRow extends Omit<Break, 'userId'> {
  law: string;
  user_id: string | null;
  of_law: string;
}

const MOST_BREAKS = 100;
const ENTRIES = 'entries';

/** All laws at once, so that what they share is read once: what each is broken by, and how many entries there are. */
const EXAMINATION = `
  with ${BOOK},
  ${LAWS.map(({ name, sql }) => `"${name}" as (${sql})`).join(',\n  ')}
  select '${ENTRIES}' as law, '' as subject, null::uuid as user_id, '0' as expected, '0' as actual, '0' as difference,
         coalesce(sum(entries), 0) as of_law from posted
  ${LAWS.map(
    ({ name }) => `union all
  (select '${name}', subject, user_id, trim_scale(expected)::text, trim_scale(actual)::text,
          trim_scale(actual - expected)::text, count(*) over ()
     from "${name}" order by subject limit ${MOST_BREAKS})`,
  ).join('\n  ')}`;

const MOST_SEED = 2 ** 48 - 1;

/** Looks at the whole database in one snapshot and tells which laws hold. Changes nothing. */
@Injectable()
export class Examination {
  constructor(
    private readonly snapshots: Snapshots,
    private readonly clock: Clock,
  ) {}

  async examine(): Promise<Findings> {
    const begun = performance.now();
    const checkedAt = this.clock.now();
    const rows = await this.snapshots.readWithoutTimeouts(async (snapshot) => {
      await setClockOffset(snapshot, this.clock);
      return snapshot.query<FoundRow>(EXAMINATION, [randomInt(MOST_SEED)]);
    });
    const of = (name: string) => rows.filter((row) => row.law === name);
    const findings = LAWS.map((law) => ({
      law,
      breaks: of(law.name).map(asBreak),
      breakCount: Number(of(law.name)[0]?.of_law ?? 0),
    }));
    return {
      checkedAt,
      durationMs: Math.round(performance.now() - begun),
      entries: Number(of(ENTRIES)[0]?.of_law ?? 0),
      findings,
      verdict: verdictOf(findings),
    };
  }
}

function verdictOf(findings: readonly Finding[]): Verdict {
  const broken = findings.filter(({ breakCount }) => breakCount > 0);
  if (broken.some(({ law }) => law.severity === 'owed')) return 'broken';
  return broken.length > 0 ? 'warning' : 'holds';
}

function asBreak({ subject, user_id: userId, expected, actual, difference }: FoundRow): Break {
  return { subject, userId, expected, actual, difference };
}
