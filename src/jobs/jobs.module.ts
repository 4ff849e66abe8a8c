import { Global, Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { Leases } from './leases.js';
import { Jobs } from './jobs.service.js';

/** Periodic work in the background. */
@Global()
@Module({ imports: [DiscoveryModule], providers: [Jobs, Leases], exports: [Jobs, Leases] })
export class JobsModule {}
