import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module.js';
import { ScreeningModule } from '../screening/screening.module.js';
import { StrategiesModule } from '../strategies/strategies.module.js';
import { UsersModule } from '../users/users.module.js';
import { AdminInvestmentsController } from './admin-investments.controller.js';
import { AdminInvestmentQueries } from './admin-investments.queries.js';
import { InvestmentClosingsService } from './investment-closings.service.js';
import { InvestmentDetails } from './investment-detail.queries.js';
import { InvestmentHistory } from './investment-history.queries.js';
import { InvestmentMovesService } from './investment-moves.service.js';
import { InvestmentQueue } from './investment-queue.queries.js';
import { InvestmentReconciliation } from './investment-reconciliation.queries.js';
import { InvestmentsController } from './investments.controller.js';
import { InvestmentsQueries } from './investments.queries.js';
import { InvestmentsService } from './investments.service.js';

@Module({
  imports: [AuditModule, ScreeningModule, StrategiesModule, UsersModule],
  controllers: [InvestmentsController, AdminInvestmentsController],
  providers: [
    InvestmentsService,
    InvestmentClosingsService,
    InvestmentMovesService,
    InvestmentsQueries,
    InvestmentHistory,
    AdminInvestmentQueries,
    InvestmentQueue,
    InvestmentDetails,
    InvestmentReconciliation,
  ],
  exports: [
    InvestmentsService,
    InvestmentClosingsService,
    InvestmentMovesService,
    InvestmentsQueries,
    InvestmentHistory,
  ],
})
export class InvestmentsModule {}
