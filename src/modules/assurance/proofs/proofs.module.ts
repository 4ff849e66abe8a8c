import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { TransactionsModule } from '../../portfolio/transactions/transactions.module.js';
import { TreasuryModule } from '../../backoffice/treasury/treasury.module.js';
import { AlertsModule } from '../../core/alerts/alerts.module.js';
import { AuditModule } from '../../core/audit/audit.module.js';
import { AdminProofsController } from './admin-proofs.controller.js';
import { CommittedEntriesRepository } from './committed-entries.repository.js';
import { DayCheckpointsService } from './day-checkpoints.service.js';
import { ProofCheckpoint } from './entities/proof-checkpoint.entity.js';
import { ProofKey } from './entities/proof-key.entity.js';
import { ProofLeaf } from './entities/proof-leaf.entity.js';
import { ProofLog } from './entities/proof-log.entity.js';
import { ProofTile } from './entities/proof-tile.entity.js';
import { LeafAppendingService } from './leaf-appending.service.js';
import { LogCheckRepository } from './log-check.repository.js';
import { LogCheckService } from './log-check.service.js';
import { LogJob } from './log.job.js';
import { LogKeysService } from './log-keys.service.js';
import { LogLeavesService } from './log-leaves.service.js';
import { LogOpeningService } from './log-opening.service.js';
import { LogProofsService } from './log-proofs.service.js';
import { LogRepository } from './log.repository.js';
import { LogRestoresService } from './log-restores.service.js';
import { ProofsController, TransactionProofsController, WellKnownController } from './proofs.controller.js';
import { ReceiptSigningService } from './receipt-signing.service.js';
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
    DayCheckpointsService,
    LeafAppendingService,
    LogCheckRepository,
    LogCheckService,
    LogJob,
    LogKeysService,
    LogLeavesService,
    LogOpeningService,
    LogProofsService,
    LogRepository,
    LogRestoresService,
    ReceiptSigningService,
    SealingService,
    TransactionProofsService,
  ],
  exports: [
    DayCheckpointsService,
    LeafAppendingService,
    LogCheckService,
    LogKeysService,
    LogLeavesService,
    LogOpeningService,
    LogProofsService,
    ReceiptSigningService,
    SealingService,
  ],
})
export class ProofsModule {}
