import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module.js';
import { AuthModule } from '../auth/auth.module.js';
import { AlertsController } from './alerts.controller.js';
import { AlertQueries } from './alerts.queries.js';
import { Alerts } from './alerts.service.js';
import { ProcessAlerts } from './process-alerts.js';

@Module({
  imports: [AuditModule, AuthModule],
  controllers: [AlertsController],
  providers: [Alerts, AlertQueries, ProcessAlerts],
  exports: [Alerts, AlertQueries],
})
export class AlertsModule {}
