import type pg from 'pg';
import type { QueryFailedError, QueryRunner } from 'typeorm';
import { sqlState } from '../common/errors/sql-state.js';
import { requireFormerMigrations, requireNoFormerProcesses } from './former-versions.js';

/** The upgrade accepts databases that have this migration, by the numbers from before the baseline. */
const OLDEST = 48;
const OLDEST_FILE = '048-audit-of-a-subject.sql';

/** SQLSTATE of a drop of an object on which another one depends. */
const DEPENDENT_OBJECTS = '2BP01';

interface Upgrade {
  /** The text of migrations/upgrade: a line `-- == 049-name` begins each section. */
  readonly sections: string;
  /** The files that create the schema, in their order. */
  readonly baseline: readonly { number: number; migration: string; sql: string }[];
  /** What follows the statements of a section. */
  readonly after: (section: string) => Promise<void> | undefined;
}

/**
 * Brings a database whose newest migration, by the numbers from before the baseline, is `newest` to the schema of the baseline, and
 * records the files of the baseline as applied.
 */
export async function upgradeFormer(
  runner: QueryRunner,
  newest: number,
  { sections, baseline, after }: Upgrade,
): Promise<void> {
  if (newest < OLDEST)
    throw new Error(
      `The database is at migration ${inDigits(newest)} of the former numbers. Start a version that has migrations/${OLDEST_FILE} once, then this one.`,
    );
  await requireFormerMigrations(runner, newest);
  await requireNoFormerProcesses(runner);
  for (const { name, sql } of sectionsOf(sections)) {
    if (Number.parseInt(name, 10) <= newest) continue; // the last section has no number: it always runs
    await runner.query(sql).catch(explain);
    await after(name);
  }
  // The sections change tables and columns, but few of their comments.
  await runner.query(baseline.flatMap(({ sql }) => sql.match(/^comment on .+;$/gm) ?? []).join('\n'));
  await runner.query('delete from migrations');
  await runner.query(
    'insert into migrations (timestamp, name) select * from unnest($1::bigint[], $2::text[])',
    [baseline.map(({ number }) => number), baseline.map(({ migration }) => migration)],
  );
}

/** The message names the objects of others that depend on one that the upgrade drops; PostgreSQL names them in the detail only. */
function explain(error: unknown): never {
  if (sqlState(error) !== DEPENDENT_OBJECTS) throw error;
  const { detail } = (error as QueryFailedError<pg.DatabaseError>).driverError;
  const message = `Drop what others have made on objects that the upgrade drops, then start again. ${detail}`;
  throw new Error(message, { cause: error });
}

/** 48 as 048. */
export function inDigits(number: number): string {
  return String(number).padStart(3, '0');
}

function sectionsOf(text: string): { name: string; sql: string }[] {
  return text
    .split(/^-- == /m)
    .slice(1)
    .map((section) => {
      const end = section.indexOf('\n');
      return { name: section.slice(0, end), sql: section.slice(end) };
    });
}
