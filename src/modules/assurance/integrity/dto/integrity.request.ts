import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { Matches } from 'class-validator';
import { PageLimit } from '../../../../http/request/input.decorators.js';
import { CreatedAfterInput, CreatedBeforeInput } from '../../../../http/request/list-inputs.js';
import { PageQuery } from '../../../../http/request/page.query.js';

const Reason = () =>
  applyDecorators(
    ApiProperty({ description: 'shown to admins, and for the audit log' }),
    Matches(/^(?=.*\S).{1,500}$/u, {
      message: 'must be one line of 1 to 500 characters that are not all spaces',
    }),
  );

export class PauseWithdrawalsRequest {
  @Reason()
  reason!: string;
}

export class ResumeWithdrawalsRequest {
  @Reason()
  reason!: string;
}

export class IntegrityRunsQuery extends PageQuery {
  @PageLimit() // only a class with a decorator has its default documented
  override limit = 20;

  @CreatedAfterInput('checked')
  createdAfter?: string;

  @CreatedBeforeInput('checked')
  createdBefore?: string;
}
