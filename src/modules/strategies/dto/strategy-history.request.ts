import { ApiProperty } from '@nestjs/swagger';
import { IsIn, IsOptional } from 'class-validator';
import { DateInput, NumberFromText } from '../../../http/request/input.decorators.js';
import { HISTORY_PERIODS, type HistoryPeriod } from '../strategies.types.js';

export class StrategyHistoryQuery {
  @ApiProperty({ description: 'the last days up to the end; 30 when there is no startDate' })
  @IsOptional()
  @NumberFromText()
  @IsIn(HISTORY_PERIODS)
  period?: HistoryPeriod;

  @DateInput({ optional: true, description: 'first day; not together with period' })
  startDate?: string;

  @DateInput({ optional: true, description: 'last day; today when absent' })
  endDate?: string;
}
