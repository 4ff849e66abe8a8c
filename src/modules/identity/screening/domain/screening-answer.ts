import { ApiProperty } from '@nestjs/swagger';
import { ArrayMaxSize, IsArray, IsIn, IsNumber, Length, Min, NotContains } from 'class-validator';
import { VERDICTS, type Verdict } from './subject.js';

const MAX_TEXT_LENGTH = 500;
const MAX_LISTS = 100;
const NUL = '\0'; // PostgreSQL cannot store it in text

/** The answer of the screening provider. docs/providers/screening.json is generated from it. */
export class ScreeningAnswer {
  @ApiProperty({
    description: 'decided by the provider; the platform does not derive it from riskScore',
    example: 'clear',
  })
  @IsIn(VERDICTS)
  readonly verdict!: Verdict;

  @ApiProperty({
    type: 'number',
    minimum: 0,
    description:
      "on the provider's scale; the platform calls less than 40 low, less than 70 medium and the rest high",
    example: 5,
  })
  @IsNumber()
  @Min(0)
  readonly riskScore!: number;

  @ApiProperty({
    type: 'array',
    items: { type: 'string', minLength: 1, maxLength: MAX_TEXT_LENGTH },
    description: 'names of the sanctions lists that contain the subject',
    example: [],
  })
  @IsArray()
  @ArrayMaxSize(MAX_LISTS)
  @Length(1, MAX_TEXT_LENGTH, { each: true })
  @NotContains(NUL, { each: true })
  readonly lists!: string[];

  @ApiProperty({ description: "the provider's reference of this answer", example: 'scr-2026-000017' })
  @Length(1, MAX_TEXT_LENGTH)
  @NotContains(NUL)
  readonly reference!: string;
}
