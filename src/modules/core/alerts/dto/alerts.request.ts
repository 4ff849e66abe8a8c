import { ApiProperty } from '@nestjs/swagger';
import { IsIn, IsOptional, Matches } from 'class-validator';
import { refusedAs } from '../../../../http/request/input.decorators.js';
import type { ErrorCode } from '../../../../common/errors/error-catalogue.js';
import { ALERT_STATUSES, type AlertStatus } from '../alerts.types.js';
import { CreatedAfterInput, CreatedBeforeInput } from '../../../../http/request/list-inputs.js';
import { PageQuery } from '../../../../http/request/page.query.js';

export class AlertsQuery extends PageQuery {
  @CreatedAfterInput()
  createdAfter?: string;

  @CreatedBeforeInput()
  createdBefore?: string;

  @ApiProperty({ description: 'only alerts in this status' })
  @IsOptional()
  @IsIn(ALERT_STATUSES)
  status: AlertStatus = 'open';
}

export class ResolveAlertRequest {
  static readonly missingCode: ErrorCode = 'REASON_REQUIRED';

  @ApiProperty({ description: 'the action that was taken' })
  @Matches(
    /^(?=.*\S).{1,500}$/u,
    refusedAs('REASON_REQUIRED', 'must be one line of 1 to 500 characters that are not all spaces'),
  )
  reason!: string;
}
