import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DepositsModule } from '../deposits/deposits.module.js';
import { ScreeningModule } from '../../identity/screening/screening.module.js';
import { UsersModule } from '../../identity/users/users.module.js';
import { AddressesController } from './addresses.controller.js';
import { AddressesRepository } from './addresses.repository.js';
import { AddressesService } from './addresses.service.js';
import { WithdrawalAddress } from './entities/withdrawal-address.entity.js';

@Module({
  imports: [TypeOrmModule.forFeature([WithdrawalAddress]), DepositsModule, ScreeningModule, UsersModule],
  controllers: [AddressesController],
  providers: [AddressesRepository, AddressesService],
  exports: [AddressesService],
})
export class AddressesModule {}
