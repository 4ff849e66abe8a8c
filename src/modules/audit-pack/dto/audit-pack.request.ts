import { DateInput } from '../../../http/request/input.decorators.js';

export class AuditPackQuery {
  @DateInput({
    optional: true,
    code: 'INVALID_DATE_RANGE',
    description: 'first day, UTC; 29 days before the last when absent',
  })
  from?: string;

  @DateInput({ optional: true, code: 'INVALID_DATE_RANGE', description: 'last day, UTC; today when absent' })
  to?: string;
}
