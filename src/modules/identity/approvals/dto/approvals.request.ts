import { ApiProperty } from '@nestjs/swagger';
import { IsBoolean, IsISO8601, IsOptional, Matches } from 'class-validator';
import {
  BooleanFromText,
  FilterInput,
  refusedAs,
  TextLength,
} from '../../../../http/request/input.decorators.js';
import type { ErrorCode } from '../../../../common/errors/error-catalogue.js';
import {
  APPROVAL_KINDS,
  type ApprovalKind,
  APPROVAL_STATUSES,
  type ApprovalStatus,
} from '../approvals.types.js';
import { CreatedAfterInput, CreatedBeforeInput } from '../../../../http/request/list-inputs.js';
import { PageQuery } from '../../../../http/request/page.query.js';

export class ApprovalsQuery extends PageQuery {
  @CreatedAfterInput('requested')
  createdAfter?: string;

  @CreatedBeforeInput('requested')
  createdBefore?: string;

  @FilterInput(APPROVAL_STATUSES, {
    description:
      'records of other modules (`transaction`, `break`, `withdrawal`) are listed while they are pending',
  })
  status?: ApprovalStatus;

  @FilterInput(APPROVAL_KINDS)
  kind?: ApprovalKind;

  @ApiProperty({
    description: 'those that the caller has requested, instead of those that the caller may decide',
  })
  @IsOptional()
  @BooleanFromText()
  @IsBoolean()
  mine = false;
}

export class ApproveRequest {
  @ApiProperty({
    description: 'for the requester and the audit log; not kept for transactions, breaks and withdrawals',
  })
  @IsOptional()
  @TextLength(1, 500)
  note?: string;

  @ApiProperty({
    description:
      '`requestedAt` of the approval that the caller has read: if it has another one now, nothing is approved',
    format: 'date-time',
    example: '2026-01-31T12:00:00.000Z',
  })
  @IsOptional()
  @IsISO8601({ strict: true })
  requestedAt?: string;
}

export class RejectApprovalRequest {
  static readonly missingCode: ErrorCode = 'REASON_REQUIRED';

  @ApiProperty({ description: 'for the requester and the audit log' })
  @Matches(
    /^(?=.*\S).{1,500}$/u,
    refusedAs('REASON_REQUIRED', 'must be one line of 1 to 500 characters that are not all spaces'),
  )
  reason!: string;
}
