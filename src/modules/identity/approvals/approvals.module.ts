import { Global, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AdminsModule } from '../admins/admins.module.js';
import { UninvolvedAdmins } from '../../core/alerts/alerts.types.js';
import { AuditModule } from '../../core/audit/audit.module.js';
import { UsersModule } from '../users/users.module.js';
import { ApprovalHandlersService } from './approval-handlers.service.js';
import { ApprovalStepsService } from './approval-steps.service.js';
import { ApprovalsController } from './approvals.controller.js';
import { ApprovalsRepository } from './approvals.repository.js';
import { ApprovalsService } from './approvals.service.js';
import { ApprovalRecord } from './entities/approval.entity.js';
import { FourEyesService } from './four-eyes.service.js';

/** Global: modules register their handlers and check second persons without importing this module. */
@Global()
@Module({
  imports: [TypeOrmModule.forFeature([ApprovalRecord]), AdminsModule, AuditModule, UsersModule],
  controllers: [ApprovalsController],
  providers: [
    ApprovalHandlersService,
    ApprovalStepsService,
    ApprovalsRepository,
    ApprovalsService,
    FourEyesService,
    { provide: UninvolvedAdmins, useExisting: FourEyesService },
  ],
  exports: [ApprovalHandlersService, ApprovalsService, FourEyesService, UninvolvedAdmins],
})
export class ApprovalsModule {}
