import { Injectable } from '@nestjs/common';
import { DataSource, IsNull, Not, type EntityManager, type FindOptionsWhere } from 'typeorm';
import type { Tx } from '../../../database/unit-of-work.js';
import type { Rows } from '../../../http/request/pagination.js';
import { createdWithin, creationPeriod, type CreationFilter } from '../../../lists/creation-period.js';
import { findCountedPage, listFilter } from '../../../lists/find-page.js';
import { byTime, type PageRequest } from '../../../lists/list-page.js';
import type { Day } from '../../../common/days.js';
import { newId } from '../../../common/ids.js';
import { violatedInvariants, type Verdict } from './domain/invariant.js';
import { IntegrityRun } from './entities/integrity-run.entity.js';
import type { IntegrityCheck } from './invariants.repository.js';

const MAX_RUNS = 1000;

@Injectable()
export class IntegrityRunsRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** For health checks: reads one row through an index. Null before the first run. */
  async findNewestVerdict(): Promise<{ status: Verdict; at: Date } | null> {
    const run = await this.findNewest(this.dataSource.manager);
    return run && { status: run.verdict, at: run.checkedAt };
  }

  /** The newest run that `where` selects; null if it selects none. */
  async findNewest(
    manager: EntityManager,
    where: FindOptionsWhere<IntegrityRun> = {},
  ): Promise<IntegrityRun | null> {
    const [run] = await manager.find(IntegrityRun, {
      where,
      order: { checkedAt: 'DESC', id: 'DESC' },
      take: 1,
    });
    return run ?? null;
  }

  /** The newest run whose violations an admin has acknowledged. */
  async findNewestAcknowledged(manager: EntityManager): Promise<IntegrityRun | null> {
    return this.findNewest(manager, { acknowledgedBy: Not(IsNull()) });
  }

  getRun(id: string): Promise<IntegrityRun> {
    return this.dataSource.manager.findOneByOrFail(IntegrityRun, { id });
  }

  /** One page, newest first. */
  findPage(request: PageRequest & CreationFilter): Promise<Rows<IntegrityRun>> {
    const filter = listFilter(...createdWithin('checked_at', creationPeriod(request)));
    const order = byTime('checked_at', 'id');
    return findCountedPage(this.dataSource.manager, IntegrityRun, filter, order, request);
  }

  /**
   * Inserts a run and returns its id. Deletes the oldest runs beyond MAX_RUNS, except acknowledged ones: later checks
   * compare their violations with those of the newest acknowledged run.
   */
  async insertRun(tx: Tx, check: IntegrityCheck, hasPausedWithdrawals: boolean): Promise<string> {
    const { checkedAt, durationMs, entries, verdict, findings } = check;
    const id = newId();
    const outcome = { verdict, broken: violatedInvariants(findings), paused: hasPausedWithdrawals };
    await tx.insert(IntegrityRun, { id, checkedAt, durationMs, entries, ...outcome });
    await tx.query(
      `delete from integrity_run where acknowledged_by is null and id in
         (select id from integrity_run order by checked_at desc, id desc offset ${MAX_RUNS})`,
    );
    return id;
  }

  async acknowledgeRun(tx: Tx, id: string, acknowledgedBy: string): Promise<void> {
    await tx.update(IntegrityRun, { id }, { acknowledgedBy });
  }

  /** True if the nightly check of the day is stored. */
  async hasNightlyRun(day: Day): Promise<boolean> {
    return this.dataSource.manager.existsBy(IntegrityRun, { night: day });
  }

  /** Marks a run as the nightly check of a day, unless another run is marked as that already. */
  async markNightlyRun(id: string, day: Day): Promise<void> {
    await this.dataSource.query(
      'update integrity_run set night = $2 where id = $1 and not exists (select from integrity_run where night = $2)',
      [id, day],
    );
  }
}
