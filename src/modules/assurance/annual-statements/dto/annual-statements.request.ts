import { ApiProperty } from '@nestjs/swagger';
import { IsIn, IsOptional, Matches } from 'class-validator';
import { PRINTED_FORMATS } from '../../../../http/documents/document-files.js';
import { COST_METHODS, type CostMethod } from '../domain/annual-figures.js';

const FORMATS = ['json', ...PRINTED_FORMATS] as const;

export class AnnualStatementQuery {
  @ApiProperty({ description: 'UTC year that has begun', example: '2026' })
  @Matches(/^(19[7-9]\d|[2-9]\d{3})$/, { message: 'must be a year such as 2026' })
  year!: string;

  @ApiProperty({
    description: 'cost of disposed units: that of the units acquired first (fifo), or the average',
  })
  @IsOptional()
  @IsIn(COST_METHODS)
  method: CostMethod = 'fifo';

  @ApiProperty({ description: 'html: a page to print' })
  @IsOptional()
  @IsIn(FORMATS)
  format: (typeof FORMATS)[number] = 'json';
}
