import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuditModule } from '../../core/audit/audit.module.js';
import { AuthModule } from '../auth/auth.module.js';
import { UsersModule } from '../users/users.module.js';
import { LockToken } from './entities/lock-token.entity.js';
import { LockTokensRepository } from './lock-tokens.repository.js';
import { LinkLockController, LockPageController, UserLockController } from './locks.controller.js';
import { LocksService, LockLinksService } from './locks.service.js';

@Module({
  imports: [AuditModule, AuthModule, TypeOrmModule.forFeature([LockToken]), UsersModule],
  controllers: [LinkLockController, LockPageController, UserLockController],
  providers: [LockLinksService, LockTokensRepository, LocksService],
  exports: [LockLinksService, LocksService],
})
export class LocksModule {}
