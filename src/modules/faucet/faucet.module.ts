import { Module } from '@nestjs/common';
import { BlockchainModule } from '../blockchain/blockchain.module.js';
import { FaucetAccount } from './faucet-account.js';
import { FaucetState } from './faucet-state.service.js';
import { FaucetController } from './faucet.controller.js';
import { FaucetQueries } from './faucet.queries.js';
import { Faucet } from './faucet.service.js';
import { PayoutDelivery } from './payout-delivery.js';
import { Payouts } from './payouts.js';
import { FaucetTurns } from './turns.js';

@Module({
  imports: [BlockchainModule],
  controllers: [FaucetController],
  providers: [Faucet, FaucetAccount, FaucetQueries, FaucetState, FaucetTurns, PayoutDelivery, Payouts],
})
export class FaucetModule {}
