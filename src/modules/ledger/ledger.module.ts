import { Global, Module } from '@nestjs/common';
import { LedgerQueries } from './ledger.queries.js';
import { Ledger } from './ledger.service.js';

/** Everybody posts to the one ledger, so it is offered everywhere. */
@Global()
@Module({ providers: [Ledger, LedgerQueries], exports: [Ledger, LedgerQueries] })
export class LedgerModule {}
