import {
  Count,
  Choice,
  Instant,
  ListOf,
  MoneyText,
  Nested,
  Text,
  Uuid,
} from '../../../http/openapi/fields.js';
import { UNIT_SCALE, type Money } from '../../../common/money.js';
import {
  ADMIN_STATUSES,
  toAdminInvestmentResponse,
  AdminInvestmentResponse,
  adminStatus,
  CLOSING_FIELDS,
} from './admin-investment.response.js';
import { totalFees, type Closing } from '../domain/closing.js';
import type { InvestmentDetail } from '../admin-investments.service.js';
import { InvestmentFeesResponse } from './investment.response.js';
import { toFeesResponse } from '../investments.mapper.js';

// One investment with everything around it.

export class InvestmentOwnerResponse {
  @Uuid() id!: string;
  @Text({ example: 'ann@example.org' }) email!: string;
  @Text({ nullable: true, description: 'the wallet that the user linked first' })
  walletAddress!: string | null;
  @Text({ example: 'not_checked' }) verificationStatus!: string;
  @Instant() accountCreated!: string;
}

export class ClosingNowResponse {
  @MoneyText(CLOSING_FIELDS.value) closedValue!: string;
  @MoneyText(CLOSING_FIELDS.principal) closedPrincipal!: string;
  @MoneyText(CLOSING_FIELDS.earnings) realisedEarnings!: string;
  @Nested(() => InvestmentFeesResponse) fees!: InvestmentFeesResponse;
  @MoneyText(CLOSING_FIELDS.withdrawn) withdrawnAmount!: string;
}

export class ClosedPartsResponse {
  @MoneyText({ description: 'their share of the principal' }) principal!: string;
  @MoneyText({ description: 'a loss is negative' }) earnings!: string;
  @MoneyText({ description: 'of all kinds' }) fees!: string;
}

const EVENTS = [
  'created',
  'approved',
  'partially_closed',
  'closed',
  'moved',
  'cancelled',
  'rejected',
] as const;

export class InvestmentStepResponse {
  @Choice(EVENTS) event!: (typeof EVENTS)[number];
  @Choice(ADMIN_STATUSES, { description: 'from then on' }) status!: string;
  @Instant() at!: string;
  @Text({ description: 'e-mail address of the user or admin' }) by!: string;
  @MoneyText({ nullable: true, description: 'what closing redeemed, before fees; null of other events' })
  closedValue!: string | null;
  @MoneyText({ nullable: true, description: 'what closing cost; null of other events' })
  fees!: string | null;
  @Text({ nullable: true, description: 'why it was rejected' }) note!: string | null;
}

/** What the list shows, and more. */
export class AdminInvestmentDetailResponse extends AdminInvestmentResponse {
  @Nested(() => InvestmentOwnerResponse) user!: InvestmentOwnerResponse;
  @Text({ example: '99.973890812', description: 'units that it holds, or held until it ended' })
  units!: string;
  @Text({
    nullable: true,
    example: '1.000261157876067812161687',
    description: 'value of a unit at which the units were issued; null until they are',
  })
  navAtIssue!: string | null;
  @Text({ example: '1.002614', description: 'value of a unit of the strategy today' }) navNow!: string;
  @Count({ description: 'calendar days from its creation until today or its end: what the fee counts' })
  daysHeld!: number;
  @Nested(() => ClosingNowResponse, {
    nullable: true,
    description: 'what closing all of it now would come to; null where it can not be closed',
  })
  ifClosedNow!: ClosingNowResponse | null;
  @Nested(() => ClosedPartsResponse, { description: 'sums over its partial closings' })
  closedParts!: ClosedPartsResponse;
  @Uuid({ nullable: true, description: 'the investment that was moved into this one' })
  movedFrom!: string | null;
  @Uuid({ nullable: true, description: 'the investment into which this one was moved' })
  movedTo!: string | null;
  @ListOf(() => InvestmentStepResponse, {
    description: 'what happened to it, the first first; of partial closings the last 100',
  })
  lifecycle!: InvestmentStepResponse[];
}

export function toAdminInvestmentDetailResponse(detail: InvestmentDetail): AdminInvestmentDetailResponse {
  const { investment, day } = detail.shown;
  const { principal, growth, fees } = investment.closedPart;
  return {
    ...toAdminInvestmentResponse(detail),
    user: {
      id: investment.userId,
      email: detail.owner.email,
      walletAddress: detail.owner.walletAddress,
      verificationStatus: detail.compliance.kycStatus,
      accountCreated: detail.owner.accountCreatedAt.toISOString(),
    },
    units: investment.units.toString(),
    navAtIssue: detail.issueNav && shownNav(detail.issueNav),
    navNow: shownNav(day.nav),
    daysHeld: detail.daysHeld,
    ifClosedNow: detail.closingNow && toClosingResponse(detail.closingNow),
    closedParts: { principal: principal.toWire(), earnings: growth.toWire(), fees: fees.toWire() },
    movedFrom: investment.movedFrom,
    movedTo: detail.movedTo,
    lifecycle: lifecycleOf(detail),
  };
}

function shownNav(nav: Money): string {
  return nav.roundHalfEven(UNIT_SCALE).toString();
}

function toClosingResponse(closing: Closing): ClosingNowResponse {
  return {
    closedValue: closing.value.toWire(),
    closedPrincipal: closing.principal.toWire(),
    realisedEarnings: closing.growth.toWire(),
    fees: toFeesResponse(closing.fees),
    withdrawnAmount: closing.value.minus(totalFees(closing)).toWire(),
  };
}

function lifecycleOf({ shown, owner, closings, movedTo }: InvestmentDetail): InvestmentStepResponse[] {
  const { investment } = shown;
  const { createdAt, approvedAt, approvedBy, endedAt, endedBy, issuedOn, finalValue, fees } = investment;
  const nothing = { closedValue: null, fees: null, note: null };
  const isClosed = investment.status === 'closed';
  const waited = approvedAt !== null || issuedOn === null;
  const steps: InvestmentStepResponse[] = [
    {
      ...nothing,
      event: 'created',
      status: waited ? 'pending' : 'active',
      at: createdAt.toISOString(),
      by: owner.email,
    },
  ];
  if (approvedAt && approvedBy !== null)
    steps.push({
      ...nothing,
      event: 'approved',
      status: 'active',
      at: approvedAt.toISOString(),
      by: approvedBy,
    });
  for (const closing of closings.toReversed())
    steps.push({
      event: 'partially_closed',
      status: 'active',
      at: closing.at.toISOString(),
      by: closing.by,
      closedValue: closing.value.toWire(),
      fees: totalFees(closing).toWire(),
      note: null,
    });
  if (endedAt)
    steps.push({
      event: endOf(isClosed, { moved: movedTo !== null, byAdmin: endedBy !== null }),
      status: adminStatus(investment.status),
      at: endedAt.toISOString(),
      by: endedBy ?? owner.email,
      closedValue: isClosed && finalValue ? finalValue.toWire() : null,
      fees: isClosed ? fees.toWire() : null,
      note: investment.note,
    });
  return steps;
}

function endOf(isClosed: boolean, { moved, byAdmin }: { moved: boolean; byAdmin: boolean }) {
  if (isClosed) return moved ? 'moved' : 'closed';
  return byAdmin ? 'rejected' : 'cancelled';
}
