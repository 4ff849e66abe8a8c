import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AlertsModule } from '../../core/alerts/alerts.module.js';
import { AuditModule } from '../../core/audit/audit.module.js';
import { ChainModule } from '../../providers/chain/chain.module.js';
import { AdminDepositsController } from './admin-deposits.controller.js';
import { AdminDepositsRepository } from './admin-deposits.repository.js';
import { AdminDepositsService } from './admin-deposits.service.js';
import { ChainDepositsService } from './chain-deposits.service.js';
import { DepositAddressesRepository } from './deposit-addresses.repository.js';
import { DepositAddressesService } from './deposit-addresses.service.js';
import { DepositClaimsService } from './deposit-claims.service.js';
import { DepositLifecycleService } from './deposit-lifecycle.service.js';
import { DepositListsRepository } from './deposit-lists.repository.js';
import { DepositPollJob } from './deposit-poll.job.js';
import { Crypto2bClient, DepositProvider } from './deposit-provider.client.js';
import { DepositRechecksService } from './deposit-rechecks.service.js';
import { DepositsController } from './deposits.controller.js';
import { DepositsRepository } from './deposits.repository.js';
import { DepositsService } from './deposits.service.js';
import { DepositAddress } from './entities/deposit-address.entity.js';
import { Deposit } from './entities/deposit.entity.js';
import { DepositStatusController, NetworksController } from './networks.controller.js';
import { NetworksService } from './networks.service.js';

@Module({
  imports: [TypeOrmModule.forFeature([Deposit, DepositAddress]), AlertsModule, AuditModule, ChainModule],
  controllers: [AdminDepositsController, DepositsController, DepositStatusController, NetworksController],
  providers: [
    { provide: DepositProvider, useClass: Crypto2bClient },
    AdminDepositsRepository,
    AdminDepositsService,
    ChainDepositsService,
    DepositAddressesRepository,
    DepositAddressesService,
    DepositClaimsService,
    DepositLifecycleService,
    DepositListsRepository,
    DepositPollJob,
    DepositRechecksService,
    DepositsRepository,
    DepositsService,
    NetworksService,
  ],
  exports: [DepositsService, DepositAddressesService, DepositPollJob, DepositProvider],
})
export class DepositsModule {}
