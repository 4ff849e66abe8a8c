import { Module } from '@nestjs/common';
import { UptimeService } from '../../backoffice/reports/dashboard-stats.service.js';
import { ReportsModule } from '../../backoffice/reports/reports.module.js';
import { SlaController } from './sla.controller.js';
import { SlaRepository } from './sla.repository.js';
import { RequestMinutesJob, SlaService } from './sla.service.js';

/** Gives `UptimeService` the source of its figures: the module `reports` is lower and cannot import this one. */
@Module({
  imports: [ReportsModule],
  controllers: [SlaController],
  providers: [RequestMinutesJob, SlaRepository, SlaService],
})
export class SlaModule {
  constructor(uptime: UptimeService, sla: SlaService) {
    uptime.setSource((from, to) => sla.getUptime(from, to));
  }
}
