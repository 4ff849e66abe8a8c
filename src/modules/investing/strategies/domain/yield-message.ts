import { ApiProperty } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { Equals, IsObject, IsString, ValidateIf, ValidateNested } from 'class-validator';

/** A decimal in percent a year. */
export const APY = /^-?(0|[1-9]\d{0,3})(\.\d{1,8})?$/;

/** The yield of a strategy on a day. `YieldReportsService` checks what the values mean. */
export class YieldReportData {
  @ApiProperty({ description: 'of STRATEGIES_FILE, or of the default strategies', example: 'balanced-10' })
  @IsString()
  strategyId!: string;

  @ApiProperty({ format: 'date', description: 'UTC; at most 31 days ahead', example: '2026-03-01' })
  @IsString()
  day!: string;

  @ApiProperty({
    pattern: APY.source,
    description: 'achieved, percent a year; text, above -100',
    example: '10.2',
  })
  @IsString()
  apy!: string;

  @ApiProperty({
    required: false,
    pattern: '^\\d+(\\.\\d{1,6})?$',
    description:
      'USDC that custody has received for the day; replaces the amount of an earlier report of the day',
    example: '27.95',
  })
  @ValidateIf((_, value) => value !== undefined)
  @IsString()
  realisedAmount?: string;
}

/** The callback of the custody provider. docs/providers/custody.json is generated from it. */
export class YieldReportMessage {
  @ApiProperty({
    type: 'string',
    enum: ['yield.reported'],
    description: 'a callback of another type changes nothing',
  })
  @Equals('yield.reported')
  type!: string;

  @IsObject()
  @ValidateNested()
  @Type(() => YieldReportData)
  data!: YieldReportData;
}
