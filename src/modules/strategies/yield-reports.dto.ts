import { FilterInput, PageLimit, PageNumber, TextLength } from '../../http/validation/inputs.js';
import { YIELD_REPORT_STATES, type YieldReportState } from './yield-report.transitions.js';

export class YieldReportsQuery {
  @FilterInput(YIELD_REPORT_STATES)
  status?: YieldReportState;

  @PageNumber()
  page = 1;

  @PageLimit()
  limit = 50;
}

export class RejectYieldReportDto {
  @TextLength(1, 500)
  reason!: string;
}
