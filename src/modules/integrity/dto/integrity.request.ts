import { Matches } from 'class-validator';
import { PageLimit, PageNumber } from '../../../http/request/input.decorators.js';

const Reason = () =>
  Matches(/^(?=.*\S).{1,500}$/u, { message: 'must be a sentence of at most 500 characters' });

export class PauseWithdrawalsRequest {
  @Reason()
  reason!: string;
}

export class ResumeWithdrawalsRequest {
  @Reason()
  reason!: string;
}

export class IntegrityRunsQuery {
  @PageNumber()
  page = 1;

  @PageLimit()
  limit = 20;
}
