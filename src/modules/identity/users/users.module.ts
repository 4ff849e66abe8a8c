import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AlertsModule } from '../../core/alerts/alerts.module.js';
import { AccountChangesRepository } from './account-changes.repository.js';
import { AccountLocksService, SecurityHoldsService } from './account-restrictions.service.js';
import { User, UserIdentity, UserStatusChange } from './entities/user.entity.js';
import { LimitTiersService, UnknownTiersJob } from './limit-tiers.service.js';
import { ProfileController } from './profile.controller.js';
import { ProfilesService } from './profiles.service.js';
import { UserAccountsService } from './user-accounts.service.js';
import { UsersRepository } from './users.repository.js';
import { UsersService } from './users.service.js';

@Module({
  imports: [AlertsModule, TypeOrmModule.forFeature([User, UserIdentity, UserStatusChange])],
  controllers: [ProfileController],
  providers: [
    AccountChangesRepository,
    AccountLocksService,
    LimitTiersService,
    ProfilesService,
    SecurityHoldsService,
    UnknownTiersJob,
    UserAccountsService,
    UsersRepository,
    UsersService,
  ],
  exports: [
    AccountLocksService,
    LimitTiersService,
    ProfilesService,
    SecurityHoldsService,
    UserAccountsService,
    UsersService,
  ],
})
export class UsersModule {}
