import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AlertsModule } from '../../core/alerts/alerts.module.js';
import { AuditModule } from '../../core/audit/audit.module.js';
import { AuthModule } from '../../identity/auth/auth.module.js';
import { ChainModule } from '../../providers/chain/chain.module.js';
import { DepositsModule } from '../../funds/deposits/deposits.module.js';
import { BookRecordsRepository } from './book-records.repository.js';
import { ChainEvidenceService } from './chain-evidence.service.js';
import { Reconciliation, ReconciliationLine } from './entities/reconciliation.entity.js';
import { ProviderStatementService } from './provider-statement.service.js';
import { ReconciliationBreaksService } from './reconciliation-breaks.service.js';
import { ReconciliationBreaksController, ReconciliationsController } from './reconciliations.controller.js';
import { ReconciliationsRepository } from './reconciliations.repository.js';
import { ReconciliationsService } from './reconciliations.service.js';

@Module({
  imports: [
    TypeOrmModule.forFeature([Reconciliation, ReconciliationLine]),
    AlertsModule,
    AuditModule,
    AuthModule,
    ChainModule,
    DepositsModule,
  ],
  controllers: [ReconciliationsController, ReconciliationBreaksController],
  providers: [
    ReconciliationsService,
    ReconciliationBreaksService,
    ReconciliationsRepository,
    BookRecordsRepository,
    ProviderStatementService,
    ChainEvidenceService,
  ],
})
export class ReconciliationModule {}
