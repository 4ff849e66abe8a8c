import { ApiProperty } from '@nestjs/swagger';
import { IsIn, IsOptional } from 'class-validator';
import { DateInput, NumberFromText } from '../../../http/request/input.decorators.js';

export const PERIODS = [7, 30, 90] as const;

export class StrategyHistoryQuery {
  @ApiProperty({ description: 'the last days up to the end; 30 when there is no startDate' })
  @IsOptional()
  @NumberFromText()
  @IsIn(PERIODS)
  period?: (typeof PERIODS)[number];

  @DateInput({ optional: true, description: 'first day; not together with period' })
  startDate?: string;

  @DateInput({ optional: true, description: 'last day; today when absent' })
  endDate?: string;
}
