import { FilterInput, PageLimit, PageNumber, TextLength } from '../../../http/request/input.decorators.js';
import { YIELD_REPORT_STATES, type YieldReportState } from '../domain/yield-report.state-machine.js';

export class YieldReportsQuery {
  @FilterInput(YIELD_REPORT_STATES)
  status?: YieldReportState;

  @PageNumber()
  page = 1;

  @PageLimit()
  limit = 50;
}

export class RejectYieldReportRequest {
  @TextLength(1, 500)
  reason!: string;
}
