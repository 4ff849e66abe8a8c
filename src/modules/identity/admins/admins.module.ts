import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuditModule } from '../../core/audit/audit.module.js';
import { UsersModule } from '../users/users.module.js';
import { AdminAccountsRepository } from './admin-accounts.repository.js';
import { AdminAccountsService } from './admin-accounts.service.js';
import { AdminDirectoryService } from './admin-directory.service.js';
import { AdminAccountRecord } from './entities/admin-account.entity.js';

@Module({
  imports: [TypeOrmModule.forFeature([AdminAccountRecord]), AuditModule, UsersModule],
  providers: [AdminDirectoryService, AdminAccountsRepository, AdminAccountsService],
  exports: [AdminDirectoryService, AdminAccountsService],
})
export class AdminsModule {}
