import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { TransactionsModule } from '../../portfolio/transactions/transactions.module.js';
import { TreasuryModule } from '../../backoffice/treasury/treasury.module.js';
import { AlertsModule } from '../../core/alerts/alerts.module.js';
import { AuditModule } from '../../core/audit/audit.module.js';
import { CommittedEntriesRepository } from './committed-entries.repository.js';
import { ProofCheckpoint, ProofKey, ProofLeaf, ProofLog, ProofTile } from './entities/log.entity.js';
import { LogCheckRepository } from './log-check.repository.js';
import { LogCheckService } from './log-check.service.js';
import { LogJob } from './log.job.js';
import { LogKeysService } from './log-keys.service.js';
import { LogProofsService } from './log-proofs.service.js';
import { LogRepository } from './log.repository.js';
import { LogRestoresService } from './log-restores.service.js';
import {
  AdminProofsController,
  ProofsController,
  TransactionProofsController,
  WellKnownController,
} from './proofs.controller.js';
import { SealingService } from './sealing.service.js';
import { TransactionProofsService } from './transaction-proofs.service.js';

@Module({
  imports: [
    TypeOrmModule.forFeature([ProofCheckpoint, ProofKey, ProofLeaf, ProofLog, ProofTile]),
    AlertsModule,
    AuditModule,
    TransactionsModule,
    TreasuryModule,
  ],
  controllers: [AdminProofsController, ProofsController, TransactionProofsController, WellKnownController],
  providers: [
    CommittedEntriesRepository,
    LogCheckRepository,
    LogCheckService,
    LogJob,
    LogKeysService,
    LogProofsService,
    LogRepository,
    LogRestoresService,
    SealingService,
    TransactionProofsService,
  ],
  exports: [LogCheckService, LogKeysService, LogProofsService, SealingService],
})
export class ProofsModule {}
