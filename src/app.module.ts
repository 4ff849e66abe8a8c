import { Module, type DynamicModule } from '@nestjs/common';
import type { AppConfig } from './config/app-config.js';
import { ConfigModule } from './config/config.module.js';
import { DatabaseModule } from './database/database.module.js';
import { EventsModule } from './events/events.module.js';
import { HttpModule } from './http/http.module.js';
import { JobsModule } from './jobs/jobs.module.js';
import { ListsModule } from './lists/lists.module.js';
import type { Clock } from './common/clock.js';
import { AddressesModule } from './modules/addresses/addresses.module.js';
import { AlertsModule } from './modules/alerts/alerts.module.js';
import { ApiKeysModule } from './modules/api-keys/api-keys.module.js';
import { ApprovalsModule } from './modules/approvals/approvals.module.js';
import { AuditModule } from './modules/audit/audit.module.js';
import { AuditPackModule } from './modules/audit-pack/audit-pack.module.js';
import { AuthModule } from './modules/auth/auth.module.js';
import { BalanceModule } from './modules/balance/balance.module.js';
import { DashboardModule } from './modules/dashboard/dashboard.module.js';
import { DepositsModule } from './modules/deposits/deposits.module.js';
import { FeedModule } from './modules/events/feed.module.js';
import { FaucetModule } from './modules/faucet/faucet.module.js';
import { HealthModule } from './modules/health/health.module.js';
import { IntegrityModule } from './modules/integrity/integrity.module.js';
import { InvestmentsModule } from './modules/investments/investments.module.js';
import { LiabilitiesModule } from './modules/liabilities/liabilities.module.js';
import { LimitsModule } from './modules/limits/limits.module.js';
import { LedgerModule } from './modules/ledger/ledger.module.js';
import { LiveModule } from './modules/live/live.module.js';
import { MailModule } from './modules/mail/mail.module.js';
import { MetricsModule } from './modules/metrics/metrics.module.js';
import { NotificationsModule } from './modules/notifications/notifications.module.js';
import { ProofsModule } from './modules/proofs/proofs.module.js';
import { ReceiptsModule } from './modules/receipts/receipts.module.js';
import { ReconciliationModule } from './modules/reconciliation/reconciliation.module.js';
import { ReportsModule } from './modules/reports/reports.module.js';
import { ScreeningModule } from './modules/screening/screening.module.js';
import { SlaModule } from './modules/sla/sla.module.js';
import { StatementsModule } from './modules/statements/statements.module.js';
import { SubscriptionsModule } from './modules/subscriptions/subscriptions.module.js';
import { TransactionsModule } from './modules/transactions/transactions.module.js';
import { UserAdminModule } from './modules/user-admin/user-admin.module.js';
import { TreasuryModule } from './modules/treasury/treasury.module.js';
import { WalletsModule } from './modules/wallets/wallets.module.js';
import { WebhooksModule } from './modules/webhooks/webhooks.module.js';
import { WithdrawalsModule } from './modules/withdrawals/withdrawals.module.js';
import { ObservabilityModule } from './observability/observability.module.js';

@Module({})
export class AppModule {
  static with(config: AppConfig, clock: Clock): DynamicModule {
    return {
      module: AppModule,
      imports: [
        ConfigModule.with(config, clock),
        DatabaseModule,
        ObservabilityModule,
        JobsModule,
        EventsModule,
        ListsModule,
        HttpModule,
        LedgerModule,
        AuditModule,
        AlertsModule,
        ApprovalsModule,
        AuthModule,
        ApiKeysModule,
        WalletsModule,
        ScreeningModule,
        AddressesModule,
        WithdrawalsModule,
        BalanceModule,
        DashboardModule,
        TransactionsModule,
        NotificationsModule,
        InvestmentsModule,
        DepositsModule,
        FaucetModule,
        WebhooksModule,
        SubscriptionsModule,
        LiveModule,
        FeedModule,
        MailModule,
        ProofsModule,
        LiabilitiesModule,
        StatementsModule,
        LimitsModule,
        UserAdminModule,
        TreasuryModule,
        ReceiptsModule,
        AuditPackModule,
        ReconciliationModule,
        IntegrityModule,
        ReportsModule,
        HealthModule,
        SlaModule,
        MetricsModule,
      ],
    };
  }
}
