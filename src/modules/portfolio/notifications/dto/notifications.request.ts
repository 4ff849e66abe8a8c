import { ApiProperty } from '@nestjs/swagger';
import { IsBoolean, IsIn, IsOptional, Matches } from 'class-validator';
import {
  BooleanFromText,
  DateInput,
  FilterInput,
  LineInput,
  TextLength,
} from '../../../../http/request/input.decorators.js';
import {
  ANNOUNCEMENT_TYPES,
  AUDIENCES,
  NOTIFICATION_TYPES,
  type AnnouncementType,
  type Audience,
  type NotificationType,
} from '../notifications.types.js';
import { PageQuery } from '../../../../http/request/page.query.js';
import { OrderByInput, SortByInput } from '../../../../http/request/list-inputs.js';

export class NotificationsQuery extends PageQuery {
  override limit = 20;

  @ApiProperty({ description: 'true: only unread ones, false: only read ones' })
  @IsOptional()
  @BooleanFromText()
  @IsBoolean()
  unread?: boolean;

  @FilterInput(NOTIFICATION_TYPES)
  type?: NotificationType;

  @SortByInput(['createdAt', 'priority'], 'priority: critical first when descending')
  sortBy: 'createdAt' | 'priority' = 'createdAt';

  @OrderByInput()
  orderBy: 'asc' | 'desc' = 'desc';
}

export class MarkAllReadRequest {
  @FilterInput(NOTIFICATION_TYPES)
  type?: NotificationType;

  @DateInput({ optional: true, description: 'only those made before this instant, or before this UTC day' })
  beforeDate?: string;
}

export class CreateAnnouncementRequest {
  @ApiProperty({
    description: 'promotion: only to users whose preference notifications.push is on',
    example: 'system',
  })
  @IsIn(ANNOUNCEMENT_TYPES)
  type!: AnnouncementType;

  @LineInput({ maxLength: 120, description: 'shown to users', example: 'Maintenance on Sunday' })
  @Matches(/\S/, { message: 'must not be blank' })
  title!: string;

  @ApiProperty({
    description: 'shown to users',
    example: 'Withdrawals are carried out on Monday morning.',
  })
  @Matches(/\S/, { message: 'must not be blank' })
  @TextLength(1, 2000)
  message!: string;

  @ApiProperty({ description: 'investors: users with a pending or active investment' })
  @IsIn(AUDIENCES)
  audience!: Audience;
}
