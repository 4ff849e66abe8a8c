import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { Matches } from 'class-validator';
import { PageLimit, PageNumber } from '../../../../http/request/input.decorators.js';
import { CreatedAfterInput, CreatedBeforeInput } from '../../../../http/request/list-inputs.js';
import { CursorInput } from '../../../../http/request/cursor-input.js';
import type { PageCursor } from '../../../../lists/list-page.js';

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

export class IntegrityRunsQuery {
  @PageNumber()
  page = 1;

  @PageLimit()
  limit = 20;

  @CursorInput()
  cursor: PageCursor | undefined;

  @CreatedAfterInput('checked')
  createdAfter?: string;

  @CreatedBeforeInput('checked')
  createdBefore?: string;
}
