import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { UserStatusChange } from './entities/user-status-change.entity.js';
import { User } from './entities/user.entity.js';
import { ProfileController } from './profile.controller.js';
import { ProfilesService } from './profiles.service.js';
import { UserAccountsService } from './user-accounts.service.js';
import { UsersRepository } from './users.repository.js';
import { UsersService } from './users.service.js';

@Module({
  imports: [TypeOrmModule.forFeature([User, UserStatusChange])],
  controllers: [ProfileController],
  providers: [UsersRepository, UsersService, UserAccountsService, ProfilesService],
  exports: [UsersService, UserAccountsService, ProfilesService],
})
export class UsersModule {}
