import { ApiProperty } from '@nestjs/swagger';
import { IsBoolean, IsIn, IsOptional } from 'class-validator';
import {
  BooleanFromText,
  DateInput,
  FilterInput,
  PageLimit,
  PageNumber,
} from '../../../http/request/input.decorators.js';
import { NOTIFICATION_TYPES, type NotificationType } from '../notifications.constants.js';

export class NotificationsQuery {
  @PageNumber()
  page: number = 1;

  @PageLimit()
  limit: number = 20;

  @ApiProperty({ description: 'true: only unread ones, false: only read ones' })
  @IsOptional()
  @BooleanFromText()
  @IsBoolean()
  unread?: boolean;

  @FilterInput(NOTIFICATION_TYPES)
  type?: NotificationType;

  @ApiProperty({ description: 'priority: critical first when descending' })
  @IsOptional()
  @IsIn(['createdAt', 'priority'])
  sortBy: 'createdAt' | 'priority' = 'createdAt';

  @IsOptional()
  @IsIn(['asc', 'desc'])
  orderBy: 'asc' | 'desc' = 'desc';
}

export class MarkAllReadRequest {
  @FilterInput(NOTIFICATION_TYPES)
  type?: NotificationType;

  @DateInput({ optional: true, description: 'only those made before this instant, or before this UTC day' })
  beforeDate?: string;
}
