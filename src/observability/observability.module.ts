import { Global, Module } from '@nestjs/common';
import { Meters } from './meters.js';
import { RequestCount } from './request-count.js';
import { SecondSecrets } from './second-secrets.js';

/** Counters and warnings that lower layers record for metrics and logs. */
@Global()
@Module({
  providers: [Meters, RequestCount, SecondSecrets],
  exports: [Meters, RequestCount, SecondSecrets],
})
export class ObservabilityModule {}
