import {
  EnumField,
  InstantField,
  MoneyField,
  NestedField,
  NumberField,
  replacedBy,
  UuidField,
} from '../../../../http/openapi/fields.js';
import { ABOUT_INVESTMENT } from './investment.response.js';

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
