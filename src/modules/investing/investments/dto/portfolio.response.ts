import {
  IntegerField,
  ListField,
  MapField,
  MoneyField,
  NestedField,
  NumberField,
  StringField,
} from '../../../../http/openapi/fields.js';
import { ABOUT_ACHIEVED } from '../../strategies/domain/apy.js';
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
  @MoneyField({ description: 'principal of open investments' }) totalInvested!: string;
  @MoneyField({ description: 'value of open investments' }) totalCurrentValue!: string;
  @MoneyField(ABOUT_PORTFOLIO.totalEarnings) totalEarnings!: string;
  @MoneyField(ABOUT_PORTFOLIO.realised) realised!: string;
  @MoneyField({ description: 'fees that all closings charged' }) fees!: string;
  @MoneyField({ description: 'totalEarnings less fees' }) totalReturn!: string;
  @NumberField({
    nullable: true,
    description:
      'unrealised growth of open investments (totalEarnings less realised) in percent of the firstPrincipal of open investments, to four decimals; null without any',
  })
  averageROI!: number | null;
  @NumberField({ nullable: true, description: `${ABOUT_ACHIEVED}. ${MEAN_YIELD}` }) weightedAPY!:
    number | null;
  @NumberField({ nullable: true, description: `target, percent a year. ${MEAN_YIELD}` }) targetApy!:
    number | null;
}

export class StrategyPerformanceResponse {
  @StringField(STRATEGY) strategyId!: string;
  @StringField() strategyName!: string;
  @MoneyField({ description: 'principal of its open investments' }) totalInvested!: string;
  @MoneyField({ description: 'value of its open investments' }) currentValue!: string;
  @MoneyField({ description: 'unrealised growth: currentValue less their firstPrincipal' }) earnings!: string;
  @NumberField({ description: 'earnings in percent of their firstPrincipal, to four decimals' }) roi!: number;
  @IntegerField({ description: 'its open investments' }) count!: number;
}

export class StatusCountsResponse {
  @IntegerField({
    description: 'active investments in strategies that are not suspended, without pending ones',
  })
  active!: number;
  @IntegerField({ description: 'active investments in suspended strategies' }) paused!: number;
  @IntegerField({ description: 'closed investments, without cancelled ones and those that were moved' })
  closed!: number;
}

export class PerformanceBreakdownResponse {
  @NestedField(() => StatusCountsResponse) byStatus!: StatusCountsResponse;
  @MapField(
    { type: 'integer' },
    { description: 'open investments by strategy', example: { 'balanced-10': 2 } },
  )
  byStrategy!: Record<string, number>;
}

export class PerformanceResponse {
  @NestedField(() => PortfolioResponse) portfolio!: PortfolioResponse;
  @ListField(() => StrategyPerformanceResponse, { description: 'open investments by strategy' })
  investments!: StrategyPerformanceResponse[];
  @NestedField(() => PerformanceBreakdownResponse) breakdown!: PerformanceBreakdownResponse;
}
