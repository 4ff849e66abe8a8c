import {
  Choice,
  Instant,
  MoneyText,
  Nested,
  Ratio,
  replacedBy,
  Uuid,
} from '../../../../http/openapi/fields.js';
import { ABOUT_INVESTMENT } from './investment.response.js';

/** The fees of a closing, which charges their sum. */
export class InvestmentFeesResponse {
  @MoneyText({
    description:
      'yearly rate of the principal, by the calendar days of the present leg, rounded down to six decimals',
  })
  managementFee!: string;
  @MoneyText({
    description: 'share of the growth of the present leg, rounded down to six decimals; 0.00 for a loss',
  })
  performanceFee!: string;
  @MoneyText({ description: 'both fees of earlier legs, where the investment was moved' })
  carriedFees!: string;
  @MoneyText({ description: 'always 0.00 in this release' }) gasFee!: string;
}

/** The amounts of closing an investment or a part of one, in every answer that has them. */
export class ClosingAmountsFields {
  @MoneyText({
    description:
      'what is closed, before fees: its value of today, or the value published for tomorrow if that is lower',
  })
  finalValue!: string;
  @MoneyText({
    description:
      'principal of what is closed: since the last move, less the shares of earlier partial closings',
  })
  initialInvestment!: string;
  @MoneyText({ description: 'finalValue less initialInvestment; a loss is negative' }) totalEarnings!: string;
  @MoneyText({ description: 'finalValue less all fees: the amount that becomes available' })
  withdrawnAmount!: string;
  @Nested(() => InvestmentFeesResponse) fees!: InvestmentFeesResponse;
}

export class ClosedInvestmentResponse extends ClosingAmountsFields {
  @Uuid() investmentId!: string;
  @Choice(['closed']) status!: string;
  @MoneyText(ABOUT_INVESTMENT.firstPrincipal) firstPrincipal!: string;
  @Ratio({
    description: 'totalEarnings in percent of initialInvestment, rounded half to even to four decimals',
  })
  roi!: number;
  @Instant() closedAt!: string;
}

export class ClosingQuoteResponse extends ClosingAmountsFields {
  @Uuid() investmentId!: string;
  @MoneyText({ description: 'the requested amount; without one the price of the whole investment' })
  amount!: string;
  @MoneyText(replacedBy('finalValue')) value!: string;
  @MoneyText(replacedBy('initialInvestment')) principal!: string;
  @MoneyText(replacedBy('totalEarnings')) earnings!: string;
  @MoneyText(replacedBy('withdrawnAmount')) payout!: string;
  @Instant({ nullable: true, description: 'end of the lock-up; null if closing is possible now' })
  lockedUntil!: string | null;
  @Instant({ description: 'when the quote was made' }) at!: string;
  @Instant({ description: 'the next midnight, UTC, at which values and fees change' }) validUntil!: string;
}
