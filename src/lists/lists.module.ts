import { Global, Module } from '@nestjs/common';
import { StreamingReads } from './streaming-reads.js';

@Global()
@Module({ providers: [StreamingReads], exports: [StreamingReads] })
export class ListsModule {}
