import { Global, Module } from '@nestjs/common';
import { LedgerRepository, LedgerHistoryRepository } from './ledger.repository.js';
import { LedgerService } from './ledger.service.js';

/** Global, because every module that moves money posts to the ledger. */
@Global()
@Module({
  providers: [LedgerService, LedgerRepository, LedgerHistoryRepository],
  exports: [LedgerService, LedgerHistoryRepository],
})
export class LedgerModule {}
