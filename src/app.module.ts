import { Module, type DynamicModule } from '@nestjs/common';
import type { AppConfig } from './config/app-config.js';
import { ConfigModule } from './config/config.module.js';
import { DatabaseModule } from './database/database.module.js';
import { HttpModule } from './http/http.module.js';
import type { Clock } from './kernel/clock.js';
import { AuthModule } from './modules/auth/auth.module.js';
import { HealthModule } from './modules/health/health.module.js';
import { LedgerModule } from './modules/ledger/ledger.module.js';
import { NotificationsModule } from './modules/notifications/notifications.module.js';
import { TransactionsModule } from './modules/transactions/transactions.module.js';

@Module({})
export class AppModule {
  static with(config: AppConfig, clock: Clock): DynamicModule {
    return {
      module: AppModule,
      imports: [
        ConfigModule.with(config, clock),
        DatabaseModule.forRoot(),
        HttpModule,
        LedgerModule,
        AuthModule,
        TransactionsModule,
        NotificationsModule,
        HealthModule,
      ],
    };
  }
}
