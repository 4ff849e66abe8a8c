import { Global, Module } from '@nestjs/common';
import { Meters } from './meters.js';

/** What the house tells of itself. */
@Global()
@Module({ providers: [Meters], exports: [Meters] })
export class TelemetryModule {}
