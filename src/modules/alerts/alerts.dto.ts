import { PageLimit, PageNumber } from '../../http/pagination/page.query.js';
import { ChoiceInput, PatternInput } from '../../http/validation/inputs.js';
import type { ErrorCode } from '../../kernel/errors/error-catalogue.js';
import { ALERT_STATUSES, type AlertStatus } from './alert.kinds.js';

export class AlertsQuery {
  @PageNumber()
  page = 1;

  @PageLimit()
  limit = 50;

  @ChoiceInput(ALERT_STATUSES, { optional: true })
  status: AlertStatus = 'open';
}

export class ResolveAlertDto {
  static readonly missingCode: ErrorCode = 'REASON_REQUIRED';

  @PatternInput(/^(?=.*\S).{1,500}$/, 'must be a sentence of at most 500 characters', {
    code: 'REASON_REQUIRED',
    description: 'what was done about it',
  })
  reason!: string;
}
