import { Global, Module } from '@nestjs/common';
import { Meters } from './meters.js';
import { SecondSecrets } from './second-secrets.js';

/** What the house tells of itself. */
@Global()
@Module({ providers: [Meters, SecondSecrets], exports: [Meters, SecondSecrets] })
export class ObservabilityModule {}
