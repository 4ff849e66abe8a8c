import { Module } from '@nestjs/common';
import { TerminusModule } from '@nestjs/terminus';
import { AlertsModule } from '../alerts/alerts.module.js';
import { AuthModule } from '../auth/auth.module.js';
import { BlockchainModule } from '../blockchain/blockchain.module.js';
import { DepositsModule } from '../deposits/deposits.module.js';
import { IntegrityModule } from '../integrity/integrity.module.js';
import { ScreeningModule } from '../screening/screening.module.js';
import { HealthChecks } from './health-checks.js';
import { HealthController } from './health.controller.js';
import { Looks } from './looks.js';
import { ProcessAlerts } from './process-alerts.js';

@Module({
  imports: [
    AlertsModule,
    TerminusModule,
    AuthModule,
    BlockchainModule,
    DepositsModule,
    IntegrityModule,
    ScreeningModule,
  ],
  controllers: [HealthController],
  providers: [HealthChecks, Looks, ProcessAlerts],
  exports: [HealthChecks],
})
export class HealthModule {}
