import { Matches } from 'class-validator';
import { PageLimit, PageNumber } from '../../../http/request/input.decorators.js';

const Reason = () =>
  Matches(/^(?=.*\S).{1,500}$/u, {
    message: 'must be one line of 1 to 500 characters that are not all spaces',
  });

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
