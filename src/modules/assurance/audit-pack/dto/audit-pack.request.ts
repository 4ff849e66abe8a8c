import { DateInput } from '../../../../http/request/input.decorators.js';
import { OtherNameOf } from '../../../../http/request/other-names.js';

export class AuditPackQuery {
  @DateInput({
    optional: true,
    code: 'INVALID_DATE_RANGE',
    description:
      'first day, UTC; when absent, 29 days before the last day, or 29 days before today if the last day is in the future',
  })
  startDate?: string;

  @OtherNameOf('startDate')
  @DateInput({ optional: true, code: 'INVALID_DATE_RANGE' })
  from?: string;

  @DateInput({
    optional: true,
    code: 'INVALID_DATE_RANGE',
    description:
      'last day, UTC; may be in the future; today when absent. The range has at most 3660 days, both days included.',
  })
  endDate?: string;

  @OtherNameOf('endDate')
  @DateInput({ optional: true, code: 'INVALID_DATE_RANGE' })
  to?: string;
}
