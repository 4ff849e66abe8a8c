import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsInt, IsOptional, IsString, Matches, Max, MaxLength, Min } from 'class-validator';
import type { ErrorCode } from '../../../../common/errors/error-catalogue.js';
import { PageLimit, refusedAs } from '../../../../http/request/input.decorators.js';

/** Even a checkpoint with several signatures has fewer. */
const MAX_CHECKPOINT_CHARACTERS = 4000;

function TreeSize(description: string, code?: ErrorCode): PropertyDecorator {
  const refused = refusedAs(code, 'must be a number of leaves');
  return applyDecorators(
    ApiProperty({ type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description, example: 1 }),
    Transform(({ value }: { value: unknown }) => parseTreeSize(value)),
    IsInt(refused),
    Min(0, refused),
    Max(Number.MAX_SAFE_INTEGER, refused),
  );
}

/** NaN for a text that is not a number of leaves, so that IsInt rejects it. */
function parseTreeSize(value: unknown): unknown {
  if (value === undefined || typeof value === 'number') return value;
  return typeof value === 'string' && /^(0|[1-9]\d{0,15})$/.test(value) ? Number(value) : Number.NaN;
}

export class CheckpointsQuery {
  @IsOptional()
  @TreeSize('checkpoints with fewer leaves than this', 'INVALID_PAGINATION')
  before?: number;

  @PageLimit()
  limit = 20;
}

export class ConsistencyQuery {
  /** The code for an absent required field (request.pipe.ts). */
  static readonly missingCode: ErrorCode = 'VALIDATION_ERROR';

  @TreeSize('number of leaves of the older tree')
  from!: number;

  @TreeSize('number of leaves of the newer tree')
  to!: number;
}

export class ContinueLogRequest {
  /** The code for an absent required field (request.pipe.ts). */
  static readonly missingCode: ErrorCode = 'REASON_REQUIRED';

  @ApiProperty({
    description: 'the newest checkpoint that was published before the restore, if one is known',
    required: false,
  })
  @IsOptional()
  @IsString()
  @MaxLength(MAX_CHECKPOINT_CHARACTERS)
  checkpoint?: string;

  @ApiProperty({ description: 'why the log may continue' })
  @Matches(
    /^(?=.*\S).{1,500}$/u,
    refusedAs('REASON_REQUIRED', 'must be one line of 1 to 500 characters that are not all spaces'),
  )
  reason!: string;
}
