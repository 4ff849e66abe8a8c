import { Global, Module } from '@nestjs/common';
import { LedgerHistory } from './ledger-history.queries.js';
import { LedgerQueries } from './ledger.queries.js';
import { Ledger } from './ledger.service.js';

/** Everybody posts to the one ledger, so it is offered everywhere. */
@Global()
@Module({
  providers: [Ledger, LedgerQueries, LedgerHistory],
  exports: [Ledger, LedgerQueries, LedgerHistory],
})
export class LedgerModule {}
