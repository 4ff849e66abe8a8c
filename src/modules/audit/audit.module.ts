import { Module } from '@nestjs/common';
import { AuditService } from './audit.service.js';
import { AuditRepository } from './audit.repository.js';
import { AuditController } from './audit.controller.js';

@Module({
  controllers: [AuditController],
  providers: [AuditService, AuditRepository],
  exports: [AuditService],
})
export class AuditModule {}
