import { ApiProperty } from '@nestjs/swagger';
import { IsBoolean, IsIn, IsInt, IsOptional, Max, Min } from 'class-validator';
import { BooleanFromText, NumberFromText } from '../../../../http/request/input.decorators.js';

const PERIODS = [7, 30, 90] as const;
const MAX_RECENT_ITEMS = 50;

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

  @IsOptional()
  @NumberFromText()
  @IsInt()
  @Min(0)
  @Max(MAX_RECENT_ITEMS)
  recentTransactions: number = 5;

  @IsOptional()
  @NumberFromText()
  @IsInt()
  @Min(0)
  @Max(MAX_RECENT_ITEMS)
  recentNotifications: number = 3;
}
