import { PageLimit, PageNumber } from '../../http/pagination/page.query.js';
import { FilterInput, TextInput } from '../../http/validation/inputs.js';
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
  @TextInput()
  reason!: string;
}
