import { Global, Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { Leases } from './leases.js';
import { Jobs } from './jobs.service.js';
import { QueueResources } from './work-queue.js';

/** Periodic work in the background, and queues of items. */
@Global()
@Module({ imports: [DiscoveryModule], providers: [Jobs, Leases, QueueResources], exports: [Jobs, Leases] })
export class JobsModule {}
