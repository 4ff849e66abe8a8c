import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ChainModule } from '../../providers/chain/chain.module.js';
import { FaucetPayout } from './entities/faucet-payout.entity.js';
import { FaucetAccountClient } from './faucet-account.client.js';
import { FaucetController } from './faucet.controller.js';
import { FaucetRepository } from './faucet.repository.js';
import { FaucetService } from './faucet.service.js';
import { PayoutDeliveryJob } from './payout-delivery.job.js';

@Module({
  imports: [TypeOrmModule.forFeature([FaucetPayout]), ChainModule],
  controllers: [FaucetController],
  providers: [FaucetAccountClient, FaucetRepository, FaucetService, PayoutDeliveryJob],
})
export class FaucetModule {}
