import { Count, Instant, MapOf, MoneyText, Nested, Ratio, Text } from '../../../http/openapi/fields.js';
import { MICRO_SCALE, Money } from '../../../common/money.js';
import { asNumber } from '../../../common/ratio.js';
import type { StrategiesService } from '../../strategies/strategies.service.js';
import type { InvestmentTotals } from '../admin-investments.repository.js';
import type { Reconciliation } from '../investment-reconciliation.queries.js';
import type { InvestmentStatus } from '../domain/investment.state-machine.js';

// Sums over many users' investments.

export class AdminInvestmentsSummaryResponse {
  @Count({
    description: 'investments that the filter selects, on all pages; every figure here is about these',
  })
  totalInvestments!: number;
  @MoneyText({ description: 'current value of the active and pending ones' }) totalValue!: string;
  @MoneyText({ description: 'sum of totalEarnings, whatever the status' }) totalEarnings!: string;
  @Count({ description: 'those in status active' }) activeInvestments!: number;
  @Count({ description: 'those in status pending' }) pendingInvestments!: number;
  @MoneyText({ description: 'average of amount, whatever the status; 0.00 where there is none' })
  averageInvestment!: string;
  @Text({
    nullable: true,
    example: 'balanced-10',
    description: 'the strategy with the largest sum of amount, whatever the status; null where there is none',
  })
  topStrategy!: string | null;
}

export function toAdminInvestmentsSummaryResponse(
  totals: readonly InvestmentTotals[],
  strategies: StrategiesService,
): AdminInvestmentsSummaryResponse {
  const count = countOf(totals);
  const average = count === 0 ? Money.ZERO : sum(totals, 'amount').dividedBy(Money.of(String(count)));
  return {
    totalInvestments: count,
    totalValue: sum(totals.filter(isOpen), 'value').toWire(),
    totalEarnings: sum(totals, 'earnings').toWire(),
    activeInvestments: countOf(totals, 'active'),
    pendingInvestments: countOf(totals, 'pending'),
    averageInvestment: average.roundHalfEven(MICRO_SCALE).toWire(),
    topStrategy: topStrategy(totals, strategies),
  };
}

/** Of equal ones the first of the catalogue. */
function topStrategy(totals: readonly InvestmentTotals[], strategies: StrategiesService): string | null {
  let top: { id: string; amount: Money } | undefined;
  for (const { id } of strategies.all) {
    const own = totals.filter(({ strategyId }) => strategyId === id);
    const amount = sum(own, 'amount');
    if (own.length > 0 && (!top || amount.isMoreThan(top.amount))) top = { id, amount };
  }
  return top?.id ?? null;
}

export class ReconciledTotalsResponse {
  @Count({ description: 'every investment ever made' }) totalInvestments!: number;
  @MoneyText({
    description:
      'principal of the active and pending ones, the sum of byStrategy: what the ledger holds as invested',
  })
  totalAmount!: string;
  @Count({ description: 'strategies that hold an active or pending investment' }) activeStrategies!: number;
}

export class InvestmentStatusCountsResponse {
  @Count({ description: 'those of suspended strategies included' }) active!: number;
  @Count() pending!: number;
  @Count({ description: 'closed' }) completed!: number;
  @Count({ description: 'cancelled or rejected' }) cancelled!: number;
}

export class PerformanceStatsResponse {
  @MoneyText({
    description:
      'growth of all investments so far: of open ones as they stand, of closed ones as it was realised; what was forfeited does not count',
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

export function toInvestmentReconciliationResponse(
  { totals, rates, changedAt }: Reconciliation,
  strategies: StrategiesService,
): InvestmentReconciliationResponse {
  const open = totals.filter(isOpen);
  const active = totals.filter(({ status }) => status === 'active');
  const weighted = Money.sum(active.map((own) => own.amount.times(rates.get(own.strategyId) ?? Money.ZERO)));
  const working = sum(active, 'amount');
  return {
    summary: {
      totalInvestments: countOf(totals),
      totalAmount: sum(open, 'amount').toWire(),
      activeStrategies: new Set(open.map(({ strategyId }) => strategyId)).size,
    },
    byStrategy: Object.fromEntries(
      strategies.all.map(({ id }) => {
        const own = open.filter(({ strategyId }) => strategyId === id);
        return [id, sum(own, 'amount').toFixed(MICRO_SCALE)];
      }),
    ),
    byStatus: {
      active: countOf(totals, 'active'),
      pending: countOf(totals, 'pending'),
      completed: countOf(totals, 'closed'),
      cancelled: countOf(totals, 'cancelled'),
    },
    performanceStats: {
      totalYield: sum(totals, 'earnings').toWire(),
      averageYieldRate: working.isZero() ? 0 : asNumber(weighted.dividedBy(working)),
      lastUpdated: changedAt?.toISOString() ?? null,
    },
  };
}

function isOpen({ status }: InvestmentTotals): boolean {
  return status === 'active' || status === 'pending';
}

function sum(totals: readonly InvestmentTotals[], field: 'amount' | 'value' | 'earnings'): Money {
  return Money.sum(totals.map((own) => own[field]));
}

function countOf(totals: readonly InvestmentTotals[], status?: InvestmentStatus): number {
  const own = totals.filter((group) => status === undefined || group.status === status);
  return own.reduce((all, { count }) => all + count, 0);
}
