import { ApiProperty } from '@nestjs/swagger';
import { IsBoolean, IsIn, IsOptional } from 'class-validator';
import {
  BooleanFromText,
  DateInput,
  FilterInput,
  PageLimit,
  PageNumber,
} from '../../../http/request/input.decorators.js';
import { startOfDay } from '../../../common/days.js';
import { NOTIFICATION_TYPES, type NotificationType } from '../notification.words.js';

export class NotificationsQuery {
  @PageNumber()
  page: number = 1;

  @PageLimit()
  limit: number = 20;

  @ApiProperty({ description: 'true: unread ones alone, false: read ones alone' })
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

/** The instant that "before this date" means: of a day alone its midnight, UTC. */
export function beginningOf(date: string): Date {
  return date.length === 10 ? startOfDay(date) : new Date(date);
}
