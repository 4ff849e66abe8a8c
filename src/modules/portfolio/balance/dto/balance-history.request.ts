import { ApiProperty } from '@nestjs/swagger';
import { IsIn, IsOptional } from 'class-validator';
import { DateInput } from '../../../../http/request/input.decorators.js';
import { INTERVALS, type Interval } from '../../../../common/days.js';

export class BalanceHistoryQuery {
  @DateInput({ optional: true, description: 'first day; 29 days before the last when absent' })
  startDate?: string;

  @DateInput({ optional: true, description: 'last day; today when absent' })
  endDate?: string;

  @ApiProperty({ description: 'weeks begin on Monday, months on their first day' })
  @IsOptional()
  @IsIn(INTERVALS)
  interval: Interval = 'daily';
}
