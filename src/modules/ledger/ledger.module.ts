import { Global, Module } from '@nestjs/common';
import { LedgerHistory } from './ledger-history.queries.js';
import { LedgerQueries } from './ledger.queries.js';
import { LedgerService } from './ledger.service.js';

/** Everybody posts to the one ledger, so it is offered everywhere. */
@Global()
@Module({
  providers: [LedgerService, LedgerQueries, LedgerHistory],
  exports: [LedgerService, LedgerQueries, LedgerHistory],
})
export class LedgerModule {}
