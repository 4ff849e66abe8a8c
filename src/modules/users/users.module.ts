import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ProfileController } from './profile.controller.js';
import { Profiles } from './profiles.service.js';
import { UserEntity } from './entities/user.entity.js';
import { UserAccounts } from './user-accounts.js';
import { Users } from './users.service.js';

@Module({
  imports: [TypeOrmModule.forFeature([UserEntity])],
  controllers: [ProfileController],
  providers: [Users, UserAccounts, Profiles],
  exports: [Users, UserAccounts, Profiles],
})
export class UsersModule {}
