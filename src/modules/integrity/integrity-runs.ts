import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { countRows } from '../../database/count-rows.js';
import type { Tx } from '../../database/unit-of-work.js';
import { offsetOf, type Rows } from '../../http/request/pagination.js';
import type { Day } from '../../common/days.js';
import { newId } from '../../common/ids.js';
import type { Finding, Findings, Verdict } from './examination.js';
import type { Break, Severity } from './law.js';

/** What a run keeps of a broken law. */
export interface BrokenLaw {
  readonly name: string;
  readonly severity: Severity;
  readonly breakCount: number;
  readonly breaks: readonly Break[];
}

export interface Run {
  readonly id: string;
  readonly checkedAt: Date;
  readonly durationMs: number;
  readonly entries: number;
  readonly verdict: Verdict;
  readonly broken: readonly BrokenLaw[];
  /** It has paused withdrawals. */
  readonly paused: boolean;
  /** The day whose nightly check it was. */
  readonly night: Day | null;
  /** The admin who resumed withdrawals after it. */
  readonly acknowledgedBy: string | null;
}

const KEPT = 1000;

const COLUMNS = `id, checked_at as "checkedAt", duration_ms as "durationMs", entries::float8 as entries, status as verdict,
  broken, paused, night, acknowledged_by as "acknowledgedBy"`;

/** The last runs, and what they found. */
@Injectable()
export class IntegrityRuns {
  constructor(private readonly dataSource: DataSource) {}

  /** For probes and metrics: one look at an index. Null before the first run. */
  async last(): Promise<{ status: Verdict; at: Date } | null> {
    const run = await this.newest(this.dataSource.manager);
    return run && { status: run.verdict, at: run.checkedAt };
  }

  async newest(manager: EntityManager): Promise<Run | null> {
    return this.one(manager, 'true');
  }

  /** The last one whose breaks an admin has acknowledged. */
  async acknowledged(manager: EntityManager): Promise<Run | null> {
    return this.one(manager, 'acknowledged_by is not null');
  }

  async list(page: { page: number; limit: number }): Promise<Rows<Run>> {
    const rows = await this.dataSource.query<Run[]>(
      `select ${COLUMNS} from integrity_run order by checked_at desc, id desc limit $1 offset $2`,
      [page.limit, offsetOf(page)],
    );
    const total = await countRows(this.dataSource, 'integrity_run');
    return { rows, total };
  }

  /** Answers the id. The oldest of too many goes, but never the last acknowledged one. */
  async add(tx: Tx, { checkedAt, durationMs, entries, verdict, findings }: Findings, paused: boolean) {
    const id = newId();
    await tx.query(
      `insert into integrity_run (id, checked_at, duration_ms, entries, status, broken, paused)
       values ($1, $2, $3, $4, $5, $6, $7)`,
      [id, checkedAt, durationMs, entries, verdict, JSON.stringify(brokenLaws(findings)), paused],
    );
    await tx.query(
      `delete from integrity_run where acknowledged_by is null and id in
         (select id from integrity_run order by checked_at desc, id desc offset ${KEPT})`,
    );
    return id;
  }

  async acknowledge(tx: Tx, id: string, by: string): Promise<void> {
    await tx.query('update integrity_run set acknowledged_by = $2 where id = $1', [id, by]);
  }

  async hasNight(day: Day): Promise<boolean> {
    const rows = await this.dataSource.query<unknown[]>('select from integrity_run where night = $1', [day]);
    return rows.length > 0;
  }

  async nameNight(id: string, day: Day): Promise<void> {
    await this.dataSource.query(
      'update integrity_run set night = $2 where id = $1 and not exists (select from integrity_run where night = $2)',
      [id, day],
    );
  }

  private async one(manager: EntityManager, which: string): Promise<Run | null> {
    const [run] = await manager.query<Run[]>(
      `select ${COLUMNS} from integrity_run where ${which} order by checked_at desc, id desc limit 1`,
    );
    return run ?? null;
  }
}

export function brokenLaws(findings: readonly Finding[]): BrokenLaw[] {
  return findings
    .filter(({ breakCount }) => breakCount > 0)
    .map(({ law: { name, severity }, breakCount, breaks }) => ({ name, severity, breakCount, breaks }));
}
