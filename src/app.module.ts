import { Module, type DynamicModule } from '@nestjs/common';
import type { AppConfig } from './config/app-config.js';
import { ConfigModule } from './config/config.module.js';
import { DatabaseModule } from './database/database.module.js';
import { EventsModule } from './events/events.module.js';
import { HttpModule } from './http/http.module.js';
import { JobsModule } from './jobs/jobs.module.js';
import { ListsModule } from './lists/lists.module.js';
import type { Clock } from './common/clock.js';
import { AddressesModule } from './modules/funds/addresses/addresses.module.js';
import { AlertsModule } from './modules/core/alerts/alerts.module.js';
import { LocksModule } from './modules/identity/locks/locks.module.js';
import { SecondFactorModule } from './modules/identity/second-factor/second-factor.module.js';
import { AnnualStatementsModule } from './modules/assurance/annual-statements/annual-statements.module.js';
import { ApiKeysModule } from './modules/identity/api-keys/api-keys.module.js';
import { ApprovalsModule } from './modules/identity/approvals/approvals.module.js';
import { AuditModule } from './modules/core/audit/audit.module.js';
import { AuditPackModule } from './modules/assurance/audit-pack/audit-pack.module.js';
import { AuthModule } from './modules/identity/auth/auth.module.js';
import { BalanceModule } from './modules/portfolio/balance/balance.module.js';
import { BooksModule } from './modules/backoffice/books/books.module.js';
import { DashboardModule } from './modules/desk/dashboard/dashboard.module.js';
import { DepositsModule } from './modules/funds/deposits/deposits.module.js';
import { EventFeedModule } from './modules/messaging/event-feed/event-feed.module.js';
import { FaucetModule } from './modules/funds/faucet/faucet.module.js';
import { HealthModule } from './modules/operations/health/health.module.js';
import { IntegrityModule } from './modules/assurance/integrity/integrity.module.js';
import { InvestmentsModule } from './modules/investing/investments/investments.module.js';
import { LiabilitiesModule } from './modules/assurance/liabilities/liabilities.module.js';
import { LimitsModule } from './modules/portfolio/limits/limits.module.js';
import { LedgerModule } from './modules/core/ledger/ledger.module.js';
import { LiveModule } from './modules/messaging/live/live.module.js';
import { MailModule } from './modules/messaging/mail/mail.module.js';
import { MetricsModule } from './modules/operations/metrics/metrics.module.js';
import { NotificationsModule } from './modules/portfolio/notifications/notifications.module.js';
import { ProofsModule } from './modules/assurance/proofs/proofs.module.js';
import { ReceiptsModule } from './modules/assurance/receipts/receipts.module.js';
import { ReconciliationModule } from './modules/backoffice/reconciliation/reconciliation.module.js';
import { ReportsModule } from './modules/backoffice/reports/reports.module.js';
import { ScreeningModule } from './modules/identity/screening/screening.module.js';
import { QueuesModule } from './modules/desk/queues/queues.module.js';
import { SearchModule } from './modules/desk/search/search.module.js';
import { SealsModule } from './modules/core/seals/seals.module.js';
import { SlaModule } from './modules/operations/sla/sla.module.js';
import { StatementsModule } from './modules/portfolio/statements/statements.module.js';
import { WebhooksModule } from './modules/messaging/webhooks/webhooks.module.js';
import { TransactionsModule } from './modules/portfolio/transactions/transactions.module.js';
import { UserAdminModule } from './modules/desk/user-admin/user-admin.module.js';
import { TreasuryModule } from './modules/backoffice/treasury/treasury.module.js';
import { WalletsModule } from './modules/identity/wallets/wallets.module.js';
import { RpcProxyModule } from './modules/providers/rpc-proxy/rpc-proxy.module.js';
import { CallbacksModule } from './modules/funds/callbacks/callbacks.module.js';
import { WithdrawalsModule } from './modules/funds/withdrawals/withdrawals.module.js';
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
        RpcProxyModule,
        LedgerModule,
        AuditModule,
        AlertsModule,
        SealsModule,
        ApprovalsModule,
        AuthModule,
        ApiKeysModule,
        SecondFactorModule,
        LocksModule,
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
        CallbacksModule,
        WebhooksModule,
        LiveModule,
        EventFeedModule,
        MailModule,
        ProofsModule,
        LiabilitiesModule,
        StatementsModule,
        BooksModule,
        SearchModule,
        QueuesModule,
        LimitsModule,
        UserAdminModule,
        TreasuryModule,
        AnnualStatementsModule,
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
