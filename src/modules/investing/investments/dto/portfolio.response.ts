import { Count, ListOf, MapOf, MoneyText, Nested, Ratio, Text } from '../../../../http/openapi/fields.js';
import { ABOUT_ACHIEVED } from '../../strategies/domain/achieved-apy.js';
import { MEAN_YIELD } from './investment.response.js';

const STRATEGY = { example: 'balanced-10' };

/** Descriptions of figures of all investments of a user. */
export const ABOUT_PORTFOLIO = {
  totalEarnings: {
    description:
      'growth of all investments that the user ever had, before fees: realised, and the value of the open ones (pending, active, paused) less their firstPrincipal',
  },
  realised: {
    description:
      'growth from the firstPrincipal of closed and cancelled investments and of all partial closings, before fees; a loss is negative',
  },
};

export class PortfolioResponse {
  @MoneyText({ description: 'principal of open investments' }) totalInvested!: string;
  @MoneyText({ description: 'value of open investments' }) totalCurrentValue!: string;
  @MoneyText(ABOUT_PORTFOLIO.totalEarnings) totalEarnings!: string;
  @MoneyText(ABOUT_PORTFOLIO.realised) realised!: string;
  @MoneyText({ description: 'fees that all closings charged' }) fees!: string;
  @MoneyText({ description: 'totalEarnings less fees' }) totalReturn!: string;
  @Ratio({
    nullable: true,
    description:
      'unrealised growth of open investments (totalEarnings less realised) in percent of the firstPrincipal of open investments, to four decimals; null without any',
  })
  averageROI!: number | null;
  @Ratio({ nullable: true, description: `${ABOUT_ACHIEVED}. ${MEAN_YIELD}` }) weightedAPY!: number | null;
  @Ratio({ nullable: true, description: `target, percent a year. ${MEAN_YIELD}` }) targetApy!: number | null;
}

export class StrategyPerformanceResponse {
  @Text(STRATEGY) strategyId!: string;
  @Text() strategyName!: string;
  @MoneyText({ description: 'principal of its open investments' }) totalInvested!: string;
  @MoneyText({ description: 'value of its open investments' }) currentValue!: string;
  @MoneyText({ description: 'unrealised growth: currentValue less their firstPrincipal' }) earnings!: string;
  @Ratio({ description: 'earnings in percent of their firstPrincipal, to four decimals' }) roi!: number;
  @Count({ description: 'its open investments' }) count!: number;
}

export class StatusCountsResponse {
  @Count({ description: 'active investments in strategies that are not suspended, without pending ones' })
  active!: number;
  @Count({ description: 'active investments in suspended strategies' }) paused!: number;
  @Count({ description: 'closed investments, without cancelled ones and those that were moved' })
  closed!: number;
}

export class PerformanceBreakdownResponse {
  @Nested(() => StatusCountsResponse) byStatus!: StatusCountsResponse;
  @MapOf({ type: 'integer' }, { description: 'open investments by strategy', example: { 'balanced-10': 2 } })
  byStrategy!: Record<string, number>;
}

export class PerformanceResponse {
  @Nested(() => PortfolioResponse) portfolio!: PortfolioResponse;
  @ListOf(() => StrategyPerformanceResponse, { description: 'open investments by strategy' })
  investments!: StrategyPerformanceResponse[];
  @Nested(() => PerformanceBreakdownResponse) breakdown!: PerformanceBreakdownResponse;
}
