import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuditModule } from '../../core/audit/audit.module.js';
import { ScreeningModule } from '../../identity/screening/screening.module.js';
import { StrategiesModule } from '../strategies/strategies.module.js';
import { UsersModule } from '../../identity/users/users.module.js';
import { AdminInvestmentsController } from './admin-investments.controller.js';
import { AdminInvestmentsRepository } from './admin-investments.repository.js';
import { AdminInvestmentsService } from './admin-investments.service.js';
import { Investment, InvestmentClosing } from './entities/investment.entity.js';
import { InvestmentClosingsService } from './investment-closings.service.js';
import { InvestmentEventEmitter } from './investment.events.js';
import { InvestmentHistoryRepository } from './investment-history.repository.js';
import { InvestmentTotalsRepository } from './investment-totals.repository.js';
import { InvestmentsController } from './investments.controller.js';
import { InvestmentsRepository } from './investments.repository.js';
import { InvestmentsService } from './investments.service.js';
import { PortfolioService } from './portfolio.service.js';

@Module({
  imports: [
    TypeOrmModule.forFeature([Investment, InvestmentClosing]),
    AuditModule,
    ScreeningModule,
    StrategiesModule,
    UsersModule,
  ],
  controllers: [InvestmentsController, AdminInvestmentsController],
  providers: [
    InvestmentsRepository,
    AdminInvestmentsRepository,
    InvestmentTotalsRepository,
    InvestmentHistoryRepository,
    InvestmentEventEmitter,
    InvestmentsService,
    InvestmentClosingsService,
    PortfolioService,
    AdminInvestmentsService,
  ],
  exports: [
    InvestmentsService,
    InvestmentClosingsService,
    PortfolioService,
    InvestmentHistoryRepository,
    InvestmentTotalsRepository,
  ],
})
export class InvestmentsModule {}
