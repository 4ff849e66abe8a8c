import { Module } from '@nestjs/common';
import { TerminusModule } from '@nestjs/terminus';
import { AlertsModule } from '../alerts/alerts.module.js';
import { AuthModule } from '../auth/auth.module.js';
import { BlockchainModule } from '../blockchain/blockchain.module.js';
import { DepositsModule } from '../deposits/deposits.module.js';
import { IntegrityModule } from '../integrity/integrity.module.js';
import { ScreeningModule } from '../screening/screening.module.js';
import { WebhooksModule } from '../webhooks/webhooks.module.js';
import { WithdrawalsModule } from '../withdrawals/withdrawals.module.js';
import { DatabaseProbe } from './database-probe.repository.js';
import { HealthController, VersionController } from './health.controller.js';
import { HealthIndicators } from './health.indicator.js';
import { HealthRepository } from './health.repository.js';
import { HealthService } from './health.service.js';
import { ProcessAlertsJob } from './process-alerts.job.js';

@Module({
  imports: [
    AlertsModule,
    TerminusModule.forRoot({ logger: false }), // HealthIndicators logs each failure once
    AuthModule,
    BlockchainModule,
    DepositsModule,
    IntegrityModule,
    ScreeningModule,
    WebhooksModule,
    WithdrawalsModule,
  ],
  controllers: [HealthController, VersionController],
  providers: [DatabaseProbe, HealthIndicators, HealthRepository, HealthService, ProcessAlertsJob],
})
export class HealthModule {}
