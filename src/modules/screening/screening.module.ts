import { Module } from '@nestjs/common';
import { AlertsModule } from '../alerts/alerts.module.js';
import { AuditModule } from '../audit/audit.module.js';
import { Compliance } from '../users/domain/compliance.js';
import { UsersModule } from '../users/users.module.js';
import { HttpScreeningProvider } from './http-screening-provider.js';
import { ScreeningCompliance } from './screening-compliance.js';
import { ScreeningProvider } from './screening-provider.js';
import { ScreeningRecords } from './screening-records.js';
import { ScreeningService } from './screening.service.js';
import { UserScreeningController } from './user-screening.controller.js';
import { UserScreeningService } from './user-screening.service.js';

@Module({
  imports: [AlertsModule, AuditModule, UsersModule],
  controllers: [UserScreeningController],
  providers: [
    { provide: ScreeningProvider, useClass: HttpScreeningProvider },
    { provide: Compliance, useExisting: ScreeningCompliance },
    ScreeningService,
    ScreeningCompliance,
    ScreeningRecords,
    UserScreeningService,
  ],
  exports: [
    Compliance,
    ScreeningService,
    ScreeningCompliance,
    ScreeningProvider,
    ScreeningRecords,
    UserScreeningService,
  ],
})
export class ScreeningModule {}
