import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AlertsModule } from '../../core/alerts/alerts.module.js';
import { AuditModule } from '../../core/audit/audit.module.js';
import { UsersModule } from '../users/users.module.js';
import { ScreeningAcceptance, ScreeningQuestion, ScreeningVerdict } from './entities/screening.entity.js';
import { ScreeningComplianceService } from './screening-compliance.service.js';
import { HttpScreeningClient, ScreeningProvider } from './screening-provider.client.js';
import { ScreeningQuestionsService } from './screening-questions.service.js';
import { ScreeningRepository } from './screening.repository.js';
import { ScreeningService } from './screening.service.js';
import { UserScreeningController } from './user-screening.controller.js';
import { UserScreeningService } from './user-screening.service.js';

@Module({
  imports: [
    TypeOrmModule.forFeature([ScreeningAcceptance, ScreeningQuestion, ScreeningVerdict]),
    AlertsModule,
    AuditModule,
    UsersModule,
  ],
  controllers: [UserScreeningController],
  providers: [
    { provide: ScreeningProvider, useClass: HttpScreeningClient },
    ScreeningComplianceService,
    ScreeningQuestionsService,
    ScreeningRepository,
    ScreeningService,
    UserScreeningService,
  ],
  exports: [ScreeningComplianceService, ScreeningProvider, ScreeningService, UserScreeningService],
})
export class ScreeningModule {}
