import { ApiProperty } from '@nestjs/swagger';
import { IsOptional, IsString, Matches, MaxLength } from 'class-validator';
import type { ErrorCode } from '../../../common/errors/error-catalogue.js';
import { refusedAs } from '../../../http/request/input.decorators.js';

/** A checkpoint with several signatures has less than this. */
const MAX_NOTE_CHARACTERS = 4000;

export class ContinueLogRequest {
  static readonly missingCode: ErrorCode = 'REASON_REQUIRED';

  @ApiProperty({
    description: 'the newest checkpoint that was published before the restore, if one is known',
    required: false,
  })
  @IsOptional()
  @IsString()
  @MaxLength(MAX_NOTE_CHARACTERS)
  checkpoint?: string;

  @ApiProperty({ description: 'why the log may continue' })
  @Matches(
    /^(?=.*\S).{1,500}$/u,
    refusedAs('REASON_REQUIRED', 'must be a sentence of at most 500 characters'),
  )
  reason!: string;
}
