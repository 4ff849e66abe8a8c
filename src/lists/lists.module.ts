import { Global, Module } from '@nestjs/common';
import { ListSums } from './list-sums.js';
import { StreamingReads } from './streaming-reads.js';
import { TotalRuns } from './total-runs.js';
import { TotalsJob } from './totals.job.js';

@Global()
@Module({ providers: [StreamingReads, TotalRuns, ListSums, TotalsJob], exports: [StreamingReads, TotalRuns] })
export class ListsModule {}
