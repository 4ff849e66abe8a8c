import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { UserStatusChange } from './entities/user-status-change.entity.js';
import { User } from './entities/user.entity.js';
import { UserIdentity } from './entities/user-identity.entity.js';
import { IdentitiesService } from './identities.service.js';
import { ProfileController } from './profile.controller.js';
import { ProfilesService } from './profiles.service.js';
import { SecurityHoldsService } from './security-holds.service.js';
import { UserAccountsService } from './user-accounts.service.js';
import { UserIdentitiesRepository } from './user-identities.repository.js';
import { UsersRepository } from './users.repository.js';
import { UsersService } from './users.service.js';

@Module({
  imports: [TypeOrmModule.forFeature([User, UserIdentity, UserStatusChange])],
  controllers: [ProfileController],
  providers: [
    IdentitiesService,
    ProfilesService,
    SecurityHoldsService,
    UserAccountsService,
    UserIdentitiesRepository,
    UsersRepository,
    UsersService,
  ],
  exports: [IdentitiesService, ProfilesService, SecurityHoldsService, UserAccountsService, UsersService],
})
export class UsersModule {}
