import { Global, Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { Leases } from './leases.js';
import { Jobs } from './jobs.service.js';
import { WorkQueues } from './work-queues.js';

const PROVIDERS = [Jobs, Leases, WorkQueues];

/** Periodic work in the background, and queues of items. */
@Global()
@Module({ imports: [DiscoveryModule], providers: PROVIDERS, exports: PROVIDERS })
export class JobsModule {}
