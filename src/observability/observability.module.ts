import { Global, Module } from '@nestjs/common';
import { Meters } from './meters.js';
import { SecondSecrets } from './second-secrets.js';

/** Counters and warnings that lower layers record for metrics and logs. */
@Global()
@Module({ providers: [Meters, SecondSecrets], exports: [Meters, SecondSecrets] })
export class ObservabilityModule {}
