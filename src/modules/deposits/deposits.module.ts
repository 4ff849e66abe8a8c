import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AlertsModule } from '../alerts/alerts.module.js';
import { BlockchainModule } from '../blockchain/blockchain.module.js';
import { ChainVerification } from './chain-verification.js';
import { DepositAddress } from './entities/deposit-address.entity.js';
import { DepositAddressesService } from './deposit-addresses.service.js';
import { DepositClaimsService } from './deposit-claims.service.js';
import { Deposit } from './entities/deposit.entity.js';
import { DepositPoller } from './deposit-poller.js';
import { DepositProgress } from './deposit-progress.js';
import { DepositRecords } from './deposit-records.js';
import { DepositReorganisations } from './deposit-reorganisations.js';
import { DepositStatusController } from './deposit-status.controller.js';
import { DepositsController } from './deposits.controller.js';
import { DepositQueries } from './deposits.queries.js';
import { DepositsService } from './deposits.service.js';
import { HandBookings } from './hand-bookings.js';
import { NetworksController } from './networks.controller.js';
import { NetworksService } from './networks.service.js';
import { Crypto2bProvider } from './provider/crypto2b-provider.js';
import { DepositProvider } from './provider/deposit-provider.js';

@Module({
  imports: [TypeOrmModule.forFeature([Deposit, DepositAddress]), AlertsModule, BlockchainModule],
  controllers: [DepositsController, DepositStatusController, NetworksController],
  providers: [
    { provide: DepositProvider, useClass: Crypto2bProvider },
    DepositAddressesService,
    DepositClaimsService,
    DepositPoller,
    DepositProgress,
    DepositQueries,
    DepositRecords,
    DepositReorganisations,
    DepositsService,
    HandBookings,
    NetworksService,
    ChainVerification,
  ],
  exports: [DepositsService, DepositPoller, DepositProvider],
})
export class DepositsModule {}
