import { Injectable, Logger } from '@nestjs/common';
import { Clock } from '../common/clock.js';
import { Snapshots } from '../database/snapshots.js';
import { UnitOfWork } from '../database/unit-of-work.js';
import { markHours, type TotalName } from './total-marks.js';
import { TotalRuns } from './total-runs.js';

/** Compares sums with the rows. */
@Injectable()
export class TotalChecks {
  private readonly log = new Logger('Totals');

  constructor(
    private readonly runs: TotalRuns,
    private readonly snapshots: Snapshots,
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
  ) {}

  /**
   * Recomputes the marked sums. For each source that then has no marks, marks the hours whose sums still differ from the rows, which
   * include changes of the last second. Returns the number of these hours by source.
   */
  async compareWithRows(stopping?: AbortSignal): Promise<ReadonlyMap<TotalName, number>> {
    const complete = await this.runs.runOnce(stopping);
    const differing = new Map<TotalName, number>();
    await this.snapshots.readWithoutTimeouts(async (snapshot) => {
      for (const source of this.runs.all.filter(({ name }) => complete.includes(name))) {
        const hours = await source.findDifferences(snapshot, this.clock.now());
        if (hours.length === 0) continue;
        differing.set(source.name, hours.length);
        await this.unitOfWork.runInNewTransaction((tx) => {
          markHours(tx, source.name, ...hours);
          return Promise.resolve();
        });
      }
    }, stopping);
    if (differing.size > 0)
      this.log.warn({
        msg: 'sums differ from the rows and are recomputed',
        hours: Object.fromEntries(differing),
      });
    return differing;
  }
}
