import { Module } from '@nestjs/common';
import { AlertsModule } from '../alerts/alerts.module.js';
import { AuditModule } from '../audit/audit.module.js';
import { AuthModule } from '../auth/auth.module.js';
import { BlockchainModule } from '../blockchain/blockchain.module.js';
import { DepositsModule } from '../deposits/deposits.module.js';
import { ChainEvidence } from './chain-evidence.js';
import { OurRecords } from './our-records.queries.js';
import { ProviderList } from './provider-list.js';
import { ReconciliationBreaksController } from './reconciliation-breaks.controller.js';
import { ReconciliationBreaksService } from './reconciliation-breaks.service.js';
import { ReconciliationRecords } from './reconciliation.records.js';
import { ReconciliationsController } from './reconciliations.controller.js';
import { ReconciliationQueries } from './reconciliations.queries.js';
import { ReconciliationsService } from './reconciliations.service.js';

@Module({
  imports: [AlertsModule, AuditModule, AuthModule, BlockchainModule, DepositsModule],
  controllers: [ReconciliationsController, ReconciliationBreaksController],
  providers: [
    ReconciliationsService,
    ReconciliationBreaksService,
    ReconciliationQueries,
    ReconciliationRecords,
    OurRecords,
    ProviderList,
    ChainEvidence,
  ],
})
export class ReconciliationModule {}
