import { Module } from '@nestjs/common';
import { AuditLog } from './audit-log.js';
import { AuditTrail } from './audit-trail.js';
import { AuditController } from './audit.controller.js';

@Module({ controllers: [AuditController], providers: [AuditLog, AuditTrail], exports: [AuditLog] })
export class AuditModule {}
