import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module.js';
import { ScreeningModule } from '../screening/screening.module.js';
import { StrategiesModule } from '../strategies/strategies.module.js';
import { UsersModule } from '../users/users.module.js';
import { AdminInvestmentsController } from './admin-investments.controller.js';
import { AdminInvestmentQueries } from './admin-investments.repository.js';
import { InvestmentClosingsService } from './investment-closings.service.js';
import { InvestmentDetails } from './admin-investments.service.js';
import { InvestmentHistoryRepository } from './investment-history.repository.js';
import { InvestmentMovesService } from './investment-moves.service.js';
import { InvestmentQueue } from './investment-queue.queries.js';
import { InvestmentReconciliation } from './investment-reconciliation.queries.js';
import { InvestmentsController } from './investments.controller.js';
import { PortfolioService } from './portfolio.service.js';
import { InvestmentsService } from './investments.service.js';

@Module({
  imports: [AuditModule, ScreeningModule, StrategiesModule, UsersModule],
  controllers: [InvestmentsController, AdminInvestmentsController],
  providers: [
    InvestmentsService,
    InvestmentClosingsService,
    InvestmentMovesService,
    PortfolioService,
    InvestmentHistoryRepository,
    AdminInvestmentQueries,
    InvestmentQueue,
    InvestmentDetails,
    InvestmentReconciliation,
  ],
  exports: [
    InvestmentsService,
    InvestmentClosingsService,
    InvestmentMovesService,
    PortfolioService,
    InvestmentHistoryRepository,
  ],
})
export class InvestmentsModule {}
