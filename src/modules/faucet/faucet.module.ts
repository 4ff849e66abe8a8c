import { Module } from '@nestjs/common';
import { BlockchainModule } from '../blockchain/blockchain.module.js';
import { FaucetAccount } from './faucet-account.js';
import { FaucetStateService } from './faucet-state.service.js';
import { FaucetController } from './faucet.controller.js';
import { FaucetQueries } from './faucet.queries.js';
import { FaucetService } from './faucet.service.js';
import { PayoutDelivery } from './payout-delivery.js';
import { Payouts } from './payouts.js';
import { FaucetCooldowns } from './turns.js';

@Module({
  imports: [BlockchainModule],
  controllers: [FaucetController],
  providers: [
    FaucetService,
    FaucetAccount,
    FaucetQueries,
    FaucetStateService,
    FaucetCooldowns,
    PayoutDelivery,
    Payouts,
  ],
})
export class FaucetModule {}
