import { Choice, DayText, Instant, MoneyText, Text, Uuid } from '../../../http/openapi/fields.js';
import type { StoredYieldReport } from '../yield-reports.repository.js';
import { YIELD_REPORT_STATES } from '../domain/yield-report.state-machine.js';

export class YieldReportResponse {
  @Uuid() id!: string;
  @Text({ description: "the custody provider's id of the event" }) eventId!: string;
  @Text({ example: 'balanced-10' }) strategyId!: string;
  @DayText({ description: 'UTC day that the report is of' }) day!: string;
  @Choice(YIELD_REPORT_STATES, {
    description:
      'rate: sets the rate of the day; fold: the day was published, the next value makes up for it; waiting: beyond the tolerance, an admin decides; ignored: the strategy was suspended on the day; rejected: by an admin',
  })
  status!: string;
  @Text({ description: 'achieved, percent a year, a decimal string', example: '10.5' })
  apy!: string;
  @Text({ description: 'the rate that the day had when the report came or was accepted', example: '10' })
  usedApy!: string;
  @MoneyText({
    nullable: true,
    description:
      'USDC received by the custody provider for the day. When the report is taken in, it replaces the amount of an earlier report of the day and the difference is posted. Null while a report waits that does not state it',
  })
  realisedAmount!: string | null;
  @Instant() reportedAt!: string;
  @DayText({ nullable: true, description: 'day of the value that took the report in; null until then' })
  appliedOn!: string | null;
  @Instant({ nullable: true, description: 'null where no admin had to decide, or has yet' })
  decidedAt!: string | null;
  @Text({ nullable: true, description: 'e-mail address of the admin who decided' }) decidedBy!: string | null;
  @Text({ nullable: true, description: 'why it was rejected' }) reason!: string | null;
}

export function toYieldReportResponse(report: StoredYieldReport): YieldReportResponse {
  return {
    id: report.id,
    eventId: report.eventId,
    strategyId: report.strategyId,
    day: report.day,
    status: report.state,
    apy: report.apy.toString(),
    usedApy: report.usedApy.toString(),
    realisedAmount: report.realised?.toWire() ?? null,
    reportedAt: report.reportedAt.toISOString(),
    appliedOn: report.appliedOn,
    decidedAt: report.decidedAt?.toISOString() ?? null,
    decidedBy: report.decidedBy,
    reason: report.decisionReason,
  };
}
