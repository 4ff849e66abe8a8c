import type { QueryRunner } from 'typeorm';
import { Snapshot } from '../../src/database/snapshots.js';
import { SEALED_COLUMNS } from '../../src/common/sealed-rows.js';
import { Jobs } from '../../src/jobs/jobs.service.js';
import { InvariantsRepository } from '../../src/modules/assurance/integrity/invariants.repository.js';
import { HISTORY_SETTINGS, HISTORY_START, makeAuditHistory } from '../fixtures/audit-history.js';
import { COLUMN_CLASSES, WITHOUT_ROWS, type TableClasses } from '../fixtures/column-classes.js';
import { changesOf, readColumns, type Column, type RowChange } from '../fixtures/row-changes.js';
import { makeRowStory } from '../fixtures/row-story.js';
import { repetitions } from '../harness/repetitions.js';
import { startPlatform, type TestPlatform } from '../harness/platform.js';

/** `unnoticed`, `none` if the statement changes nothing, `refused` by the database, or the names of violated invariants. */
type Outcome = 'unnoticed' | 'none' | 'refused' | readonly string[];

const toColumnName = (field: string) => field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const words = (text = '') => text.split(' ').filter((word) => word !== '');
const guardedOf = ({ refused, compared }: TableClasses) => [...words(refused), ...words(compared)];
const unguardedOf = ({ sealed, harmless = {} }: TableClasses) => [
  ...words(sealed),
  ...Object.values(harmless).flatMap(words),
];
/** A statement of this test that PostgreSQL cannot execute; 428C9 refuses to write a generated column. */
const isFault = (code: string) => /^(22|42|XX)/.test(code) && code !== '428C9';

describe('A change of one row', () => {
  let platform: TestPlatform;
  let runner: QueryRunner;
  let columns: Column[];
  /** The violations of the story itself: custody has paid what the treasury has not moved yet. */
  let baseline: ReadonlySet<string>;

  beforeAll(async () => {
    platform = await startPlatform({ at: HISTORY_START, blockIntervalMs: 0, settings: HISTORY_SETTINGS });
    await makeAuditHistory(platform);
    await makeRowStory(platform);
    for (const job of platform.app.get(Jobs).all) await job.end();
    runner = platform.dataSource.createQueryRunner();
    columns = await readColumns(runner);
    await runner.query('begin');
    baseline = new Set(await violatedNames());
    await runner.query('rollback');
  });
  afterAll(async () => {
    await runner?.release();
    await platform?.stop();
  });

  async function violatedNames(): Promise<string[]> {
    const snapshot = new Snapshot(runner, 'select'); // in the transaction of the change
    const { findings } = await platform.app.get(InvariantsRepository).checkSnapshot(snapshot);
    return findings.filter(({ violationCount }) => violationCount > 0).map(({ invariant }) => invariant.name);
  }

  /** Makes the change with the triggers enabled, checks all invariants, and undoes it. */
  async function outcomeOf({ table, text, sql }: RowChange): Promise<Outcome> {
    await runner.query('savepoint change');
    try {
      const { affected } = (await runner.query(sql, undefined, true)) as { affected?: number };
      if (!affected) return 'none';
      await runner.query('set constraints all immediate');
      const names = (await violatedNames()).filter((name) => !baseline.has(name));
      return names.length > 0 ? names : 'unnoticed';
    } catch (error) {
      const { code = '' } = error as { code?: string };
      if (isFault(code)) throw new Error(`${table}: ${text}: ${(error as Error).message}`, { cause: error });
      return 'refused';
    } finally {
      await runner.query('rollback to savepoint change');
    }
  }

  it('concerns a column that has one declared class, and each class names columns that exist', () => {
    expect([...baseline]).toEqual(['assets']);
    const existing = columns.map(({ table, column }) => `${table}.${column}`).sort();
    const declared = Object.entries(COLUMN_CLASSES).flatMap(([table, classes]) =>
      [...guardedOf(classes), ...unguardedOf(classes)].map((column) => `${table}.${column}`),
    );
    expect(declared.sort()).toEqual(existing);
  });

  it('in a column that is declared as sealed breaks the seal of its table, which covers only sealed and refused columns', () => {
    for (const [table, fields] of Object.entries(SEALED_COLUMNS)) {
      const { sealed, refused } = COLUMN_CLASSES[table] ?? {};
      if (table === 'approval') continue; // its columns have other names than its fields
      const covered = [...fields.map(toColumnName), 'seal'];
      expect([table, words(sealed).filter((column) => !covered.includes(column))]).toEqual([table, []]);
      const guarded = [...words(sealed), ...words(refused), 'seal'];
      expect([table, covered.filter((column) => !guarded.includes(column))]).toEqual([table, []]);
    }
  });

  it.each(Object.entries(COLUMN_CLASSES).filter(([, classes]) => guardedOf(classes).length > 0))(
    'of the table %s is refused by the database or named by the integrity check, unless its column is declared otherwise [SEC-431]',
    async (table, classes) => {
      const guarded = guardedOf(classes);
      const { rows = {} } = classes;
      await runner.query('begin');
      try {
        const own = columns.filter((column) => column.table === table);
        const all = await changesOf(runner, table, own, repetitions(8));
        expect(all.length > 0).toBe(!(table in WITHOUT_ROWS));
        const unnoticed: string[] = [];
        for (const change of all) {
          const { column, text } = change;
          // A change of the whole row has no column, and its text is declared instead.
          const isUnguarded = column === null ? text in rows : !guarded.includes(column);
          if (isUnguarded) continue;
          if ((await outcomeOf(change)) === 'unnoticed') unnoticed.push(text);
        }
        expect(unnoticed).toEqual([]);
      } finally {
        await runner.query('rollback');
      }
    },
  );
});
