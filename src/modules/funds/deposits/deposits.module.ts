import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AlertsModule } from '../../core/alerts/alerts.module.js';
import { AuditModule } from '../../core/audit/audit.module.js';
import { ChainModule } from '../../providers/chain/chain.module.js';
import { AdminDepositsRepository } from './admin-deposits.repository.js';
import { ChainDepositsService, DepositRechecksService } from './chain-deposits.service.js';
import { DepositAddressesService } from './deposit-addresses.service.js';
import { DepositClaimsService } from './deposit-claims.service.js';
import { DepositLifecycleService } from './deposit-lifecycle.service.js';
import { DepositListsRepository } from './deposit-lists.repository.js';
import { DepositPollJob } from './deposit-poll.job.js';
import { Crypto2bClient, DepositProvider } from './deposit-provider.client.js';
import { DepositsController, AdminDepositsController } from './deposits.controller.js';
import { DepositsRepository, DepositAddressesRepository } from './deposits.repository.js';
import { DepositsService, AdminDepositsService } from './deposits.service.js';
import { Deposit, DepositAddress } from './entities/deposit.entity.js';
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
