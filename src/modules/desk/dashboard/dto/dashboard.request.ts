import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { IsBoolean, IsIn, IsInt, IsOptional, Max, Min } from 'class-validator';
import { BooleanFromText, NumberFromText } from '../../../../http/request/input.decorators.js';

const PERIODS = [7, 30, 90] as const;
const MAX_RECENT_ITEMS = 50;

const RecentItems = (items: string) =>
  applyDecorators(
    ApiProperty({ description: `number of the newest ${items} in the answer` }),
    IsOptional(),
    NumberFromText(),
    IsInt(),
    Min(0),
    Max(MAX_RECENT_ITEMS),
  );

export class DashboardQuery {
  @ApiProperty({ description: 'false when absent' })
  @IsOptional()
  @BooleanFromText()
  @IsBoolean()
  includeCharts: boolean = false;

  @ApiProperty({ description: 'days of the charts' })
  @IsOptional()
  @NumberFromText()
  @IsIn(PERIODS)
  period: number = 30;

  @RecentItems('transactions')
  recentTransactions: number = 5;

  @RecentItems('notifications')
  recentNotifications: number = 3;
}
