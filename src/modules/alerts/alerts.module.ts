import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module.js';
import { AlertsController } from './alerts.controller.js';
import { AlertQueries } from './alerts.queries.js';
import { AlertsService } from './alerts.service.js';

@Module({
  imports: [AuditModule],
  controllers: [AlertsController],
  providers: [AlertsService, AlertQueries],
  exports: [AlertsService, AlertQueries],
})
export class AlertsModule {}
