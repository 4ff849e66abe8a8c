import { Choice, DayText, Instant, MoneyText, Text, Uuid } from '../../../http/openapi/fields.js';
import { YIELD_REPORT_STATES } from '../domain/yield-report.state-machine.js';

export class YieldReportResponse {
  @Uuid() id!: string;
  @Text({ description: "the custody provider's id of the event" }) eventId!: string;
  @Text({ example: 'balanced-10' }) strategyId!: string;
  @DayText({ description: 'UTC day to which the report applies' }) day!: string;
  @Choice(YIELD_REPORT_STATES, {
    description:
      'rate: sets the rate of the day; fold: the day was published, the next value makes up for it; waiting: beyond the tolerance, an admin decides; ignored: the strategy was suspended on the day; rejected: by an admin',
  })
  status!: string;
  @Text({ description: 'achieved, percent a year, a decimal string', example: '10.5' })
  apy!: string;
  @Text({ description: 'the rate of the day when the report arrived or was accepted', example: '10' })
  usedApy!: string;
  @MoneyText({
    nullable: true,
    description:
      'USDC received by the custody provider for the day. An applied report replaces the amount of an earlier report of the day, and the difference is posted. Null for a waiting report without an amount',
  })
  realisedAmount!: string | null;
  @Instant() reportedAt!: string;
  @DayText({ nullable: true, description: 'day of the value that includes the report; null until then' })
  appliedOn!: string | null;
  @Instant({ nullable: true, description: 'null without a decision' })
  decidedAt!: string | null;
  @Text({ nullable: true, description: 'e-mail address of the admin who decided' }) decidedBy!: string | null;
  @Text({ nullable: true, description: 'reason of a rejection' }) reason!: string | null;
}
