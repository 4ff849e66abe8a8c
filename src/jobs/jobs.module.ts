import { Global, Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { Jobs } from './jobs.service.js';

/** Periodic work in the background. */
@Global()
@Module({ imports: [DiscoveryModule], providers: [Jobs], exports: [Jobs] })
export class JobsModule {}
