import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ProfileController } from './profile.controller.js';
import { ProfilesService } from './profiles.service.js';
import { User } from './entities/user.entity.js';
import { UserAccountsService } from './user-accounts.service.js';
import { UsersService } from './users.service.js';

@Module({
  imports: [TypeOrmModule.forFeature([User])],
  controllers: [ProfileController],
  providers: [UsersService, UserAccountsService, ProfilesService],
  exports: [UsersService, UserAccountsService, ProfilesService],
})
export class UsersModule {}
