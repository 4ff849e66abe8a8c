import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AlertsModule } from '../../core/alerts/alerts.module.js';
import { AccountChangesRepository } from './account-changes.repository.js';
import { AccountLocksService } from './account-locks.service.js';
import { UserStatusChange } from './entities/user-status-change.entity.js';
import { User } from './entities/user.entity.js';
import { UserIdentity } from './entities/user-identity.entity.js';
import { IdentitiesService } from './identities.service.js';
import { LimitTiersService } from './limit-tiers.service.js';
import { ProfileController } from './profile.controller.js';
import { ProfilesService } from './profiles.service.js';
import { SecurityHoldsService } from './security-holds.service.js';
import { UnknownTiersJob } from './unknown-tiers.job.js';
import { UserAccountsService } from './user-accounts.service.js';
import { UsersRepository } from './users.repository.js';
import { UsersService } from './users.service.js';

@Module({
  imports: [AlertsModule, TypeOrmModule.forFeature([User, UserIdentity, UserStatusChange])],
  controllers: [ProfileController],
  providers: [
    AccountChangesRepository,
    AccountLocksService,
    IdentitiesService,
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
    IdentitiesService,
    LimitTiersService,
    ProfilesService,
    SecurityHoldsService,
    UserAccountsService,
    UsersService,
  ],
})
export class UsersModule {}
