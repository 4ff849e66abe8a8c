import { Module } from '@nestjs/common';
import { TerminusModule } from '@nestjs/terminus';
import { AlertsModule } from '../../core/alerts/alerts.module.js';
import { AuthModule } from '../../identity/auth/auth.module.js';
import { ChainModule } from '../../providers/chain/chain.module.js';
import { DepositsModule } from '../../funds/deposits/deposits.module.js';
import { IntegrityModule } from '../../assurance/integrity/integrity.module.js';
import { ScreeningModule } from '../../identity/screening/screening.module.js';
import { CallbacksModule } from '../../funds/callbacks/callbacks.module.js';
import { WithdrawalsModule } from '../../funds/withdrawals/withdrawals.module.js';
import { HealthController, VersionController } from './health.controller.js';
import { HealthIndicators } from './health.indicator.js';
import { DatabaseProbe, HealthRepository } from './health.repository.js';
import { HealthService } from './health.service.js';
import { OverdueJobsJob, ProcessAlertsJob } from './process-alerts.job.js';

@Module({
  imports: [
    AlertsModule,
    TerminusModule.forRoot({ logger: false }), // HealthIndicators logs each failure once
    AuthModule,
    ChainModule,
    DepositsModule,
    IntegrityModule,
    ScreeningModule,
    CallbacksModule,
    WithdrawalsModule,
  ],
  controllers: [HealthController, VersionController],
  providers: [
    DatabaseProbe,
    HealthIndicators,
    HealthRepository,
    HealthService,
    OverdueJobsJob,
    ProcessAlertsJob,
  ],
})
export class HealthModule {}
