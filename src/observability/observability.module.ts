import { Global, Module } from '@nestjs/common';
import { Meters } from './meters.js';
import { RequestCount } from './request-count.js';
import { SecondSecrets } from './second-secrets.js';

/** What all layers count and report: `Meters` and `RequestCount` for the metrics, `SecondSecrets` the uses of secrets that end. */
@Global()
@Module({
  providers: [Meters, RequestCount, SecondSecrets],
  exports: [Meters, RequestCount, SecondSecrets],
})
export class ObservabilityModule {}
