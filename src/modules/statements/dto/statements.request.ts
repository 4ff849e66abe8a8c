import { ApiProperty } from '@nestjs/swagger';
import { IsIn, IsOptional } from 'class-validator';
import { DateInput } from '../../../http/request/input.decorators.js';

export const FORMATS = ['json', 'csv', 'journal'] as const;
export type StatementFormat = (typeof FORMATS)[number];

export class StatementQuery {
  @DateInput({ optional: true, description: 'first day; 29 days before the last when absent' })
  from?: string;

  @DateInput({ optional: true, description: 'last day; today when absent' })
  to?: string;

  @ApiProperty({ description: 'json when absent' })
  @IsOptional()
  @IsIn(FORMATS)
  format: StatementFormat = 'json';
}
