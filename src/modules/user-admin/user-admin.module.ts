import { Module } from '@nestjs/common';
import { AddressesModule } from '../addresses/addresses.module.js';
import { AlertsModule } from '../alerts/alerts.module.js';
import { ApiKeysModule } from '../api-keys/api-keys.module.js';
import { AuditModule } from '../audit/audit.module.js';
import { InvestmentsModule } from '../investments/investments.module.js';
import { LiveModule } from '../live/live.module.js';
import { MailModule } from '../mail/mail.module.js';
import { NotificationsModule } from '../notifications/notifications.module.js';
import { ScreeningModule } from '../screening/screening.module.js';
import { StrategiesModule } from '../strategies/strategies.module.js';
import { SubscriptionsModule } from '../subscriptions/subscriptions.module.js';
import { UsersModule } from '../users/users.module.js';
import { WalletsModule } from '../wallets/wallets.module.js';
import { WithdrawalsModule } from '../withdrawals/withdrawals.module.js';
import { AdminProfileController, AdminUsersController } from './admin-users.controller.js';
import { TestDataController } from './test-data.controller.js';
import { TestDataService } from './test-data.service.js';
import { UserAdminService } from './user-admin.service.js';
import { UserDetailRepository } from './user-detail.repository.js';
import { UserErasureRepository } from './user-erasure.repository.js';
import { UserEmailsService } from './user-emails.service.js';
import { UserHoldEndsService } from './user-hold-ends.service.js';
import { UserHoldsController } from './user-holds.controller.js';
import { UserErasureService } from './user-erasure.service.js';
import { UserFiguresConsumer } from './user-figures.consumer.js';
import { UserFiguresRepository } from './user-figures.repository.js';
import { UserListRepository } from './user-list.repository.js';
import { UserDirectoryService } from './user-directory.service.js';

@Module({
  imports: [
    AddressesModule,
    AlertsModule,
    ApiKeysModule,
    AuditModule,
    InvestmentsModule,
    LiveModule,
    MailModule,
    NotificationsModule,
    ScreeningModule,
    StrategiesModule,
    SubscriptionsModule,
    UsersModule,
    WalletsModule,
    WithdrawalsModule,
  ],
  controllers: [AdminUsersController, AdminProfileController, UserHoldsController, TestDataController],
  providers: [
    TestDataService,
    UserAdminService,
    UserDetailRepository,
    UserDirectoryService,
    UserErasureRepository,
    UserEmailsService,
    UserHoldEndsService,
    UserErasureService,
    UserFiguresConsumer,
    UserFiguresRepository,
    UserListRepository,
  ],
})
export class UserAdminModule {}
