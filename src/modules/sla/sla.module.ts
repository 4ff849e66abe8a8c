import { Module } from '@nestjs/common';
import { ReportsModule } from '../reports/reports.module.js';
import { UptimeService } from '../reports/uptime.service.js';
import { OldMinutes } from './old-minutes.js';
import { RequestMinutes } from './request-minutes.js';
import { SlaController } from './sla.controller.js';
import { SlaQueries } from './sla.queries.js';
import { SlaService } from './sla.service.js';

@Module({
  imports: [ReportsModule],
  controllers: [SlaController],
  providers: [RequestMinutes, SlaQueries, SlaService, OldMinutes],
})
export class SlaModule {
  constructor(uptime: UptimeService, sla: SlaService) {
    uptime.setSource((from, to) => sla.uptime(from, to));
  }
}
