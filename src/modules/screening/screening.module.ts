import { Module } from '@nestjs/common';
import { AlertsModule } from '../alerts/alerts.module.js';
import { AuditModule } from '../audit/audit.module.js';
import { Compliance } from '../users/compliance.js';
import { UsersModule } from '../users/users.module.js';
import { HttpScreeningProvider } from './http-screening-provider.js';
import { ScreeningCompliance } from './screening-compliance.js';
import { ScreeningProvider } from './screening-provider.js';
import { ScreeningRecords } from './screening-records.js';
import { Screening } from './screening.service.js';
import { UserScreeningController } from './user-screening.controller.js';
import { UserScreening } from './user-screening.service.js';

@Module({
  imports: [AlertsModule, AuditModule, UsersModule],
  controllers: [UserScreeningController],
  providers: [
    { provide: ScreeningProvider, useClass: HttpScreeningProvider },
    { provide: Compliance, useExisting: ScreeningCompliance },
    Screening,
    ScreeningCompliance,
    ScreeningRecords,
    UserScreening,
  ],
  exports: [Compliance, Screening, ScreeningCompliance, ScreeningProvider, ScreeningRecords, UserScreening],
})
export class ScreeningModule {}
