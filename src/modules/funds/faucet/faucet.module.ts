import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ChainModule } from '../../providers/chain/chain.module.js';
import { FaucetAccount, FaucetPayout, FaucetTurn } from './entities/faucet.entity.js';
import { FaucetAccountClient } from './faucet-account.client.js';
import { FaucetController } from './faucet.controller.js';
import { FaucetRepository } from './faucet.repository.js';
import { FaucetService } from './faucet.service.js';
import { PayoutDeliveryJob } from './payout-delivery.job.js';

@Module({
  imports: [TypeOrmModule.forFeature([FaucetPayout, FaucetAccount, FaucetTurn]), ChainModule],
  controllers: [FaucetController],
  providers: [FaucetAccountClient, FaucetRepository, FaucetService, PayoutDeliveryJob],
})
export class FaucetModule {}
