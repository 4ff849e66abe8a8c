import { Global, Module } from '@nestjs/common';
import { ListSums } from './list-sums.js';
import { StreamingReads } from './streaming-reads.js';
import { TotalChecks } from './total-checks.js';
import { TotalRuns } from './total-runs.js';
import { TotalsJob } from './totals.job.js';

@Global()
@Module({
  providers: [StreamingReads, TotalRuns, TotalChecks, ListSums, TotalsJob],
  exports: [StreamingReads, TotalRuns, TotalChecks],
})
export class ListsModule {}
