import { ApiProperty } from '@nestjs/swagger';
import { IsIn, IsOptional } from 'class-validator';
import { PRINTED_FORMATS } from '../../../../http/documents/document-files.js';
import { DateInput } from '../../../../http/request/input.decorators.js';
import { OtherNameOf } from '../../../../http/request/other-names.js';

const TEXT_FORMATS = ['json', 'csv', 'journal'] as const;
export type TextFormat = (typeof TEXT_FORMATS)[number];
const FORMATS = [...TEXT_FORMATS, ...PRINTED_FORMATS] as const;
export type StatementFormat = (typeof FORMATS)[number];

export class StatementQuery {
  @DateInput({ optional: true, description: 'first day; 29 days before the last when absent' })
  startDate?: string;

  @OtherNameOf('startDate')
  @DateInput({ optional: true })
  from?: string;

  @DateInput({ optional: true, description: 'last day; today when absent' })
  endDate?: string;

  @OtherNameOf('endDate')
  @DateInput({ optional: true })
  to?: string;

  @ApiProperty({ description: 'json when absent; html: a page to print' })
  @IsOptional()
  @IsIn(FORMATS)
  format: StatementFormat = 'json';
}
