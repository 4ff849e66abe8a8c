import { ApiExtraModels, getSchemaPath } from '@nestjs/swagger';
import {
  Choice,
  Count,
  Instant,
  ListOf,
  MapOf,
  MoneyText,
  Nested,
  Ratio,
  Text,
  Uuid,
} from '../../../http/openapi/fields.js';
import { SHOWN_STATUSES } from '../domain/investment.state-machine.js';

/** Descriptions of fields that several responses share. */
export const ABOUT_INVESTMENT = {
  firstPrincipal: {
    description:
      'principal of the first investment of a chain of moves, less the shares of partial closings; equals amount if the investment was not moved. Cancelling never pays more',
  },
  carriedFees: {
    description: 'fees of the investments before the moves, which are charged on closing',
    example: '0.00',
  },
  principal: { description: 'principal, less the shares of partial closings' },
  allocation: {
    description: 'principal by protocol',
    example: { pendle: '40.00', curve: '60.00' },
  },
  value: {
    description: "today's value; of a closed investment its price, of a cancelled one the amount paid",
  },
  earnings: { description: 'growth so far, including growth that partial closings have realised' },
  roi: { description: 'totalEarnings in percent of the initial principal', example: 1.25 },
  lastUpdated: {
    description: 'when the value last changed: by an action, or at a midnight with growth or a loss',
  },
  nextYield: {
    nullable: true,
    description: 'next midnight at which growth shows; null if the investment does not grow',
  },
};
const STRATEGY = { example: 'balanced-10' };

export class InvestmentPerformanceResponse {
  @MoneyText() currentValue!: string;
  @MoneyText(ABOUT_INVESTMENT.earnings) totalEarnings!: string;
  @Ratio(ABOUT_INVESTMENT.roi) roi!: number;
  @MoneyText({ description: 'growth at the next midnight, once the investment earns' }) dailyYield!: string;
  @MoneyText({ description: 'growth of a year at the target rate' }) projectedAnnualReturn!: string;
}

export class InvestmentResponse {
  @Uuid() id!: string;
  @Uuid() userId!: string;
  @Text(STRATEGY) strategyId!: string;
  @Text() strategyName!: string;
  @MoneyText(ABOUT_INVESTMENT.principal) amount!: string;
  @MoneyText(ABOUT_INVESTMENT.firstPrincipal) firstPrincipal!: string;
  @MoneyText(ABOUT_INVESTMENT.carriedFees) carriedFees!: string;
  @Choice(['USDC']) currency!: string;
  @Ratio({ description: 'target, percent a year' }) apy!: number;
  @Choice(SHOWN_STATUSES) status!: string;
  @MapOf({ type: 'string' }, ABOUT_INVESTMENT.allocation)
  allocation!: Record<string, string>;
  @Nested(() => InvestmentPerformanceResponse) performance!: InvestmentPerformanceResponse;
  @Instant() createdAt!: string;
  @Instant(ABOUT_INVESTMENT.lastUpdated) lastUpdated!: string;
  @Instant(ABOUT_INVESTMENT.nextYield) nextYieldDate!: string | null;
}

export class AllocationResponse {
  @MoneyText() amount!: string;
  @Ratio() percentage!: number;
  @Text({ example: 'curve' }) protocol!: string;
  @MoneyText() currentValue!: string;
}

@ApiExtraModels(AllocationResponse)
export class InvestmentDetailResponse {
  @Uuid() id!: string;
  @Uuid() userId!: string;
  @Text(STRATEGY) strategyId!: string;
  @Text() strategyName!: string;
  @MoneyText(ABOUT_INVESTMENT.principal) amount!: string;
  @MoneyText(ABOUT_INVESTMENT.firstPrincipal) firstPrincipal!: string;
  @MoneyText(ABOUT_INVESTMENT.carriedFees) carriedFees!: string;
  @Choice(['USDC']) currency!: string;
  @Ratio({ description: 'target, percent a year' }) apy!: number;
  @Choice(SHOWN_STATUSES) status!: string;
  @MapOf({ $ref: getSchemaPath(AllocationResponse) }, { description: 'by protocol' })
  allocation!: Record<string, AllocationResponse>;
  @Nested(() => InvestmentPerformanceResponse) performance!: InvestmentPerformanceResponse;
  @MoneyText(ABOUT_INVESTMENT.value) currentValue!: string;
  @MoneyText(ABOUT_INVESTMENT.earnings) totalEarnings!: string;
  @Ratio(ABOUT_INVESTMENT.roi) roi!: number;
  @Instant() createdAt!: string;
  @Instant(ABOUT_INVESTMENT.lastUpdated) lastUpdated!: string;
  @Instant(ABOUT_INVESTMENT.nextYield) nextYieldDate!: string | null;
  @Text({ nullable: true }) approvedBy!: string | null;
  @Instant({ nullable: true }) approvedAt!: string | null;
}

export class InvestmentItemResponse {
  @Uuid() id!: string;
  @Text(STRATEGY) strategyId!: string;
  @Text() strategyName!: string;
  @MoneyText(ABOUT_INVESTMENT.principal) amount!: string;
  @MoneyText(ABOUT_INVESTMENT.firstPrincipal) firstPrincipal!: string;
  @MoneyText(ABOUT_INVESTMENT.carriedFees) carriedFees!: string;
  @MoneyText(ABOUT_INVESTMENT.value) currentValue!: string;
  @MoneyText(ABOUT_INVESTMENT.earnings) totalEarnings!: string;
  @Ratio({ description: 'target, percent a year' }) apy!: number;
  @Ratio(ABOUT_INVESTMENT.roi) roi!: number;
  @Choice(SHOWN_STATUSES) status!: string;
  @Instant() createdAt!: string;
  @Instant(ABOUT_INVESTMENT.nextYield) nextYieldDate!: string | null;
}

/** Sums over all investments that match the filters, on all pages. */
export class InvestmentsSummaryResponse {
  @MoneyText({ description: 'sum of amount' }) totalInvested!: string;
  @MoneyText({ description: 'sum of currentValue' }) totalCurrentValue!: string;
  @MoneyText({ description: 'sum of totalEarnings' }) totalEarnings!: string;
  @Ratio({
    description: 'totalEarnings in percent of totalInvested and the principal that partial closings returned',
  })
  averageROI!: number;
  @Count({ description: 'of status active' }) activeInvestments!: number;
}

/** The fees of a closing, which charges their sum. */
export class InvestmentFeesResponse {
  @MoneyText({ description: 'of the present leg' }) managementFee!: string;
  @MoneyText({ description: 'of the present leg' }) performanceFee!: string;
  @MoneyText({ description: 'of earlier legs, where the investment was moved' }) carriedFees!: string;
  @MoneyText() gasFee!: string;
}

export class ClosedInvestmentResponse {
  @Uuid() investmentId!: string;
  @Choice(['closed']) status!: string;
  @MoneyText({ description: "today's value, or the value published for tomorrow if it is lower" })
  finalValue!: string;
  @MoneyText({ description: 'principal since the last move, less the shares of partial closings' })
  initialInvestment!: string;
  @MoneyText(ABOUT_INVESTMENT.firstPrincipal) firstPrincipal!: string;
  @MoneyText({ description: 'finalValue less initialInvestment' }) totalEarnings!: string;
  @Ratio({ description: 'totalEarnings in percent of initialInvestment' }) roi!: number;
  @MoneyText({ description: 'finalValue less fees' }) withdrawnAmount!: string;
  @Instant() closedAt!: string;
  @Nested(() => InvestmentFeesResponse) fees!: InvestmentFeesResponse;
}

export class ClosingQuoteResponse {
  @Uuid() investmentId!: string;
  @MoneyText({ description: 'the requested amount; without one the price of the whole investment' })
  amount!: string;
  @MoneyText({
    description: 'value of the part: of today, or the value published for tomorrow if it is lower',
  })
  value!: string;
  @MoneyText({ description: 'principal of the part' }) principal!: string;
  @MoneyText({ description: 'value less principal; a loss is negative' }) earnings!: string;
  @Nested(() => InvestmentFeesResponse) fees!: InvestmentFeesResponse;
  @MoneyText({ description: 'value less fees: exactly what closing pays until validUntil' }) payout!: string;
  @Instant({ nullable: true, description: 'end of the lock-up; null if closing is possible now' })
  lockedUntil!: string | null;
  @Instant({ description: 'when the quote was made' }) at!: string;
  @Instant({ description: 'the next midnight, UTC, at which values and fees change' }) validUntil!: string;
}

export class CancelledInvestmentResponse {
  @Uuid() id!: string;
  @Choice(['cancelled']) status!: string;
  @Text() message!: string;
}

export class PortfolioResponse {
  @MoneyText({ description: 'principal of open investments' }) totalInvested!: string;
  @MoneyText({ description: 'value of open investments' }) totalCurrentValue!: string;
  @MoneyText({ description: 'unrealised growth of open investments' }) totalEarnings!: string;
  @MoneyText({
    description:
      'totalEarnings, and the earnings less fees of closed and cancelled investments and of partial closings',
  })
  totalReturn!: string;
  @Ratio({ description: 'totalEarnings in percent of totalInvested' }) averageROI!: number;
  @Ratio({ description: 'target APY of open investments, weighted by amount' }) weightedAPY!: number;
}

export class StrategyPerformanceResponse {
  @Text(STRATEGY) strategyId!: string;
  @Text() strategyName!: string;
  @MoneyText() totalInvested!: string;
  @MoneyText() currentValue!: string;
  @MoneyText() earnings!: string;
  @Ratio({ description: 'earnings in percent of totalInvested' }) roi!: number;
  @Count() count!: number;
}

export class StatusCountsResponse {
  @Count() active!: number;
  @Count() paused!: number;
  @Count() closed!: number;
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
