import { Module } from '@nestjs/common';
import { AuditModule } from '../../core/audit/audit.module.js';
import { ProofsModule } from '../proofs/proofs.module.js';
import { AuditPackWriterService } from './audit-pack-writer.service.js';
import { AuditPackController } from './audit-pack.controller.js';
import { AuditPackRepository } from './audit-pack.repository.js';
import { AuditPackService } from './audit-pack.service.js';

@Module({
  imports: [AuditModule, ProofsModule],
  controllers: [AuditPackController],
  providers: [AuditPackRepository, AuditPackService, AuditPackWriterService],
})
export class AuditPackModule {}
