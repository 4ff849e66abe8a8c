import { Module } from '@nestjs/common';
import { AddressesModule } from '../../funds/addresses/addresses.module.js';
import { AlertsModule } from '../../core/alerts/alerts.module.js';
import { ApiKeysModule } from '../../identity/api-keys/api-keys.module.js';
import { AuditModule } from '../../core/audit/audit.module.js';
import { DepositsModule } from '../../funds/deposits/deposits.module.js';
import { SecondFactorModule } from '../../identity/second-factor/second-factor.module.js';
import { InvestmentsModule } from '../../investing/investments/investments.module.js';
import { LocksModule } from '../../identity/locks/locks.module.js';
import { LiveModule } from '../../messaging/live/live.module.js';
import { MailModule } from '../../messaging/mail/mail.module.js';
import { NotificationsModule } from '../../portfolio/notifications/notifications.module.js';
import { ScreeningModule } from '../../identity/screening/screening.module.js';
import { TransactionsModule } from '../../portfolio/transactions/transactions.module.js';
import { StrategiesModule } from '../../investing/strategies/strategies.module.js';
import { WebhooksModule } from '../../messaging/webhooks/webhooks.module.js';
import { UsersModule } from '../../identity/users/users.module.js';
import { WalletsModule } from '../../identity/wallets/wallets.module.js';
import { WithdrawalsModule } from '../../funds/withdrawals/withdrawals.module.js';
import { AdminAccountsJob } from './admin-accounts.job.js';
import {
  AdminProfileController,
  AdminUsersController,
  TestDataController,
} from './admin-users.controller.js';
import { TestDataService } from './test-data.service.js';
import { UserAdminService } from './user-admin.service.js';
import { UserAdminRepository } from './user-admin.repository.js';
import { UserEmailsService } from './user-emails.service.js';
import {
  LimitTiersController,
  UserAccessController,
  UserCredentialsController,
  UserTiersController,
} from './user-access.controller.js';
import { UserCredentialsService } from './user-credentials.service.js';
import { UserAccessService } from './user-access.service.js';
import { UserErasureService } from './user-erasure.service.js';
import { UserFiguresConsumer } from './user-figures.consumer.js';
import { UserTiersService } from './user-tiers.service.js';
import { UserListRepository } from './user-list.repository.js';
import { UserDirectoryService } from './user-directory.service.js';

@Module({
  imports: [
    AddressesModule,
    AlertsModule,
    ApiKeysModule,
    AuditModule,
    DepositsModule,
    SecondFactorModule,
    InvestmentsModule,
    LiveModule,
    LocksModule,
    MailModule,
    NotificationsModule,
    ScreeningModule,
    StrategiesModule,
    TransactionsModule,
    WebhooksModule,
    UsersModule,
    WalletsModule,
    WithdrawalsModule,
  ],
  controllers: [
    AdminUsersController,
    AdminProfileController,
    UserAccessController,
    UserCredentialsController,
    UserTiersController,
    LimitTiersController,
    TestDataController,
  ],
  providers: [
    AdminAccountsJob,
    TestDataService,
    UserAccessService,
    UserAdminRepository,
    UserAdminService,
    UserCredentialsService,
    UserDirectoryService,
    UserEmailsService,
    UserErasureService,
    UserFiguresConsumer,
    UserListRepository,
    UserTiersService,
  ],
})
export class UserAdminModule {}
