import { ApiExtraModels, getSchemaPath } from '@nestjs/swagger';
import {
  EnumField,
  InstantField,
  IntegerField,
  MapField,
  MoneyField,
  NestedField,
  NumberField,
  StringField,
  UuidField,
  replacedBy,
} from '../../../../http/openapi/fields.js';
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
  finalValue: {
    nullable: true,
    description:
      'value at the end: of a closed investment its price before fees, of a moved one the amount that its next investment began with, of a cancelled one the amount paid; null while it is open',
  },
  withdrawnAmount: {
    nullable: true,
    description:
      'finalValue less fees: what became available at the end, without the closed parts before it; 0.00 if the investment was moved; null while it is open',
  },
  endedAt: {
    nullable: true,
    description: 'when the investment was closed, moved or cancelled; null while it is open',
  },
  earnings: {
    description:
      'growth since the first investment of a chain of moves (from firstPrincipal), including growth that partial closings of this investment have realised',
  },
  roi: {
    description: 'totalEarnings in percent of firstPrincipal before the partial closings of this investment',
    example: 1.25,
  },
  movedFrom: {
    nullable: true,
    description: 'the investment that was moved into this one; null if no move opened this one',
  },
  movedTo: {
    nullable: true,
    description:
      'the investment into which this one was moved; null if it was not moved. A moved investment is closed and counts in no list, count or sum',
  },
  closedParts: {
    description:
      'sums over the partial closings of this investment. totalEarnings is currentValue less firstPrincipal, plus earnings of these',
  },
  lastUpdated: {
    description: 'when the value last changed: by an action, or at a midnight with growth or a loss',
  },
  nextYield: {
    nullable: true,
    description: 'next midnight at which growth shows; null if the investment does not grow',
  },
};
/** Which investments a mean yield counts. */
export const MEAN_YIELD =
  'Mean of the strategies, weighted by the value of active and paused investments; null without any';
const STRATEGY = { example: 'balanced-10' };

export class ClosedPartsResponse {
  @IntegerField({ description: 'partial closings' }) count!: number;
  @MoneyField({ description: 'their share of the firstPrincipal' }) principal!: string;
  @MoneyField({ description: 'their growth from that principal, before fees; a loss is negative' })
  earnings!: string;
  @MoneyField({ description: 'fees that they charged' }) fees!: string;
}

export class InvestmentPerformanceResponse {
  @MoneyField(ABOUT_INVESTMENT.value) currentValue!: string;
  @MoneyField(ABOUT_INVESTMENT.earnings) totalEarnings!: string;
  @NumberField(ABOUT_INVESTMENT.roi) roi!: number;
  @MoneyField({
    description:
      'growth at the next midnight by the present value and rate, rounded half to even to six decimals; 0.00 while the investment does not grow',
  })
  dailyYield!: string;
  @MoneyField({
    description:
      'growth of a year at the target rate from the present value, without compounding, rounded half to even to six decimals; 0.00 while the investment does not grow',
  })
  projectedAnnualReturn!: string;
}

/** The fields that every answer about a user's investment has. */
class InvestmentFields {
  @UuidField() id!: string;
  @StringField(STRATEGY) strategyId!: string;
  @StringField() strategyName!: string;
  @MoneyField(ABOUT_INVESTMENT.principal) amount!: string;
  @MoneyField(ABOUT_INVESTMENT.firstPrincipal) firstPrincipal!: string;
  @MoneyField(ABOUT_INVESTMENT.carriedFees) carriedFees!: string;
  @NumberField({ description: 'target, percent a year' }) apy!: number;
  @EnumField(SHOWN_STATUSES) status!: string;
  @InstantField() createdAt!: string;
  @InstantField(ABOUT_INVESTMENT.nextYield) nextYieldDate!: string | null;
}

export class InvestmentResponse extends InvestmentFields {
  @UuidField() userId!: string;
  @EnumField(['USDC']) currency!: string;
  @MapField({ type: 'string' }, ABOUT_INVESTMENT.allocation)
  allocation!: Record<string, string>;
  @NestedField(() => InvestmentPerformanceResponse) performance!: InvestmentPerformanceResponse;
  @InstantField(ABOUT_INVESTMENT.lastUpdated) lastUpdated!: string;
}

export class InvestmentItemResponse extends InvestmentFields {
  @MoneyField(ABOUT_INVESTMENT.value) currentValue!: string;
  @MoneyField(ABOUT_INVESTMENT.earnings) totalEarnings!: string;
  @NumberField(ABOUT_INVESTMENT.roi) roi!: number;
  @MoneyField(ABOUT_INVESTMENT.finalValue) finalValue!: string | null;
  @MoneyField(ABOUT_INVESTMENT.withdrawnAmount) withdrawnAmount!: string | null;
  @InstantField(ABOUT_INVESTMENT.endedAt) endedAt!: string | null;
  @NestedField(() => ClosedPartsResponse, ABOUT_INVESTMENT.closedParts) closedParts!: ClosedPartsResponse;
}

export class AllocationResponse {
  @MoneyField({ description: 'share of the principal' }) amount!: string;
  @NumberField({ description: 'weight of the protocol in the strategy, percent' }) percentage!: number;
  @StringField({ example: 'curve' }) protocol!: string;
  @MoneyField({ description: "share of today's value" }) currentValue!: string;
}

@ApiExtraModels(AllocationResponse)
export class InvestmentDetailResponse extends InvestmentItemResponse {
  @UuidField() userId!: string;
  @EnumField(['USDC']) currency!: string;
  @MapField({ $ref: getSchemaPath(AllocationResponse) }, { description: 'by protocol' })
  allocation!: Record<string, AllocationResponse>;
  @NestedField(() => InvestmentPerformanceResponse) performance!: InvestmentPerformanceResponse;
  @InstantField(ABOUT_INVESTMENT.lastUpdated) lastUpdated!: string;
  @StringField({ nullable: true }) approvedBy!: string | null;
  @InstantField({ nullable: true }) approvedAt!: string | null;
  @UuidField(ABOUT_INVESTMENT.movedFrom) movedFrom!: string | null;
  @UuidField(ABOUT_INVESTMENT.movedTo) movedTo!: string | null;
}

class EndedInvestmentsResponse {
  @IntegerField({ description: 'closed and cancelled investments; a move ends no investment' })
  count!: number;
  @MoneyField({
    description: 'their firstPrincipal, and that of all closed parts of investments that match the filters',
  })
  principal!: string;
  @MoneyField({ description: 'their growth from that principal, before fees; a loss is negative' })
  earnings!: string;
  @MoneyField({ description: 'fees that these closings charged' }) fees!: string;
}

/** Sums over all investments that match the filters, on all pages. Money that was moved counts once, where it is now. */
export class InvestmentsSummaryResponse {
  @MoneyField({
    description: 'amount of the open investments (pending, active, paused), as `invested` of the balance',
  })
  totalInvested!: string;
  @MoneyField({ description: 'currentValue of the open investments' }) totalCurrentValue!: string;
  @MoneyField({
    description: 'unrealised growth of the open investments: their value less their firstPrincipal',
  })
  totalEarnings!: string;
  @NumberField({
    nullable: true,
    description:
      'totalEarnings in percent of the firstPrincipal of the open investments, to four decimals; null without any',
  })
  averageROI!: number | null;
  @IntegerField({ description: 'of status active or paused' }) activeInvestments!: number;
  @NestedField(() => EndedInvestmentsResponse, { description: 'what has ended' })
  closed!: EndedInvestmentsResponse;
}

export class CancelledInvestmentResponse {
  @UuidField() id!: string;
  @EnumField(['cancelled']) status!: string;
  @StringField() message!: string;
}

/** The fees of a closing, which charges their sum. */
export class InvestmentFeesResponse {
  @MoneyField({
    description:
      'yearly rate of the principal, by the calendar days of the present leg, rounded down to six decimals',
  })
  managementFee!: string;
  @MoneyField({
    description: 'share of the growth of the present leg, rounded down to six decimals; 0.00 for a loss',
  })
  performanceFee!: string;
  @MoneyField({ description: 'both fees of earlier legs, where the investment was moved' })
  carriedFees!: string;
  @MoneyField({ description: 'always 0.00 in this release' }) gasFee!: string;
}

/** The amounts of closing an investment or a part of one, in every answer that has them. */
export class ClosingAmountsFields {
  @MoneyField({
    description:
      'what is closed, before fees: its value of today, or the value published for tomorrow if that is lower',
  })
  finalValue!: string;
  @MoneyField({
    description:
      'principal of what is closed: since the last move, less the shares of earlier partial closings',
  })
  initialInvestment!: string;
  @MoneyField({ description: 'finalValue less initialInvestment; a loss is negative' })
  totalEarnings!: string;
  @MoneyField({ description: 'finalValue less all fees: the amount that becomes available' })
  withdrawnAmount!: string;
  @NestedField(() => InvestmentFeesResponse) fees!: InvestmentFeesResponse;
}

export class ClosedInvestmentResponse extends ClosingAmountsFields {
  @UuidField() investmentId!: string;
  @EnumField(['closed']) status!: string;
  @MoneyField(ABOUT_INVESTMENT.firstPrincipal) firstPrincipal!: string;
  @NumberField({
    description: 'totalEarnings in percent of initialInvestment, rounded half to even to four decimals',
  })
  roi!: number;
  @InstantField() closedAt!: string;
}

export class ClosingQuoteResponse extends ClosingAmountsFields {
  @UuidField() investmentId!: string;
  @MoneyField({ description: 'the requested amount; without one the price of the whole investment' })
  amount!: string;
  @MoneyField(replacedBy('finalValue')) value!: string;
  @MoneyField(replacedBy('initialInvestment')) principal!: string;
  @MoneyField(replacedBy('totalEarnings')) earnings!: string;
  @MoneyField(replacedBy('withdrawnAmount')) payout!: string;
  @InstantField({ nullable: true, description: 'end of the lock-up; null if closing is possible now' })
  lockedUntil!: string | null;
  @InstantField({ description: 'when the quote was made' }) at!: string;
  @InstantField({ description: 'the next midnight, UTC, at which values and fees change' })
  validUntil!: string;
}
