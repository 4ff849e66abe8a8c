import { PageLimit, PageNumber } from '../../http/pagination/page.query.js';
import { PatternInput } from '../../http/validation/inputs.js';

const Reason = () => PatternInput(/^(?=.*\S).{1,500}$/, 'must be a sentence of at most 500 characters');

export class PauseWithdrawalsDto {
  @Reason()
  reason!: string;
}

export class ResumeWithdrawalsDto {
  @Reason()
  reason!: string;
}

export class IntegrityRunsQuery {
  @PageNumber()
  page = 1;

  @PageLimit()
  limit = 20;
}
