import { Count, Instant, MapOf, MoneyText, Nested, Ratio, Text } from '../../../http/openapi/fields.js';

export class AdminInvestmentsSummaryResponse {
  @Count({
    description:
      'investments that match the filter, on all pages; all figures of the summary are about these',
  })
  totalInvestments!: number;
  @MoneyText({ description: 'current value of the active and pending ones' }) totalValue!: string;
  @MoneyText({ description: 'sum of totalEarnings, in all statuses' }) totalEarnings!: string;
  @Count({ description: 'investments in status active' }) activeInvestments!: number;
  @Count({ description: 'investments in status pending' }) pendingInvestments!: number;
  @MoneyText({ description: 'average of amount, in all statuses; 0.00 without investments' })
  averageInvestment!: string;
  @Text({
    nullable: true,
    example: 'balanced-10',
    description: 'the strategy with the largest sum of amount, in all statuses; null without investments',
  })
  topStrategy!: string | null;
}

export class ReconciledTotalsResponse {
  @Count({ description: 'every investment ever made' }) totalInvestments!: number;
  @MoneyText({
    description:
      'principal of active and pending investments, the sum of byStrategy; equals the invested balances of the ledger',
  })
  totalAmount!: string;
  @Count({ description: 'strategies that hold an active or pending investment' }) activeStrategies!: number;
}

export class InvestmentStatusCountsResponse {
  @Count({ description: 'including those of suspended strategies' }) active!: number;
  @Count() pending!: number;
  @Count({ description: 'closed' }) completed!: number;
  @Count({ description: 'cancelled or rejected' }) cancelled!: number;
}

export class PerformanceStatsResponse {
  @MoneyText({
    description:
      'growth of all investments so far: current growth of open ones, realised growth of closed ones; forfeited growth does not count',
  })
  totalYield!: string;
  @Ratio({
    description:
      'percent a year at which the strategies grow now, as reported by the custody provider, else their target, 0 of a suspended one; weighted by the principal of active investments, 0 without one',
  })
  averageYieldRate!: number;
  @Instant({
    nullable: true,
    description:
      'last change of an investment, or the last midnight at which the value of a strategy with active investments changed; null without an investment',
  })
  lastUpdated!: string | null;
}

export class InvestmentReconciliationResponse {
  @Nested(() => ReconciledTotalsResponse) summary!: ReconciledTotalsResponse;
  @MapOf(
    { type: 'string', pattern: '^\\d+\\.\\d{6}$' },
    {
      description: 'principal of active and pending investments of every strategy, with exactly six decimals',
      example: { 'conservative-5': '0.000000', 'balanced-10': '1500.250000', 'aggressive-20': '20.000000' },
    },
  )
  byStrategy!: Record<string, string>;
  @Nested(() => InvestmentStatusCountsResponse, { description: 'together totalInvestments' })
  byStatus!: InvestmentStatusCountsResponse;
  @Nested(() => PerformanceStatsResponse) performanceStats!: PerformanceStatsResponse;
}

export class InvestmentQueueSummaryResponse {
  @Count({ description: 'investments in status pending, on all pages' }) totalPending!: number;
  @MoneyText({ description: 'sum of their amount' }) totalPendingValue!: string;
  @Instant({ nullable: true, description: 'creation time of the oldest of them; null without any' })
  oldestPending!: string | null;
  @Count({
    nullable: true,
    description: 'average seconds since their creation; null without any',
  })
  averageWaitTime!: number | null;
}
