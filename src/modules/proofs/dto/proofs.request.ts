import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsInt, IsOptional, Max, Min } from 'class-validator';
import type { ErrorCode } from '../../../common/errors/error-catalogue.js';
import { PageLimit, refusedAs } from '../../../http/request/input.decorators.js';

/** A number of leaves. */
function TreeSize(description: string, code?: ErrorCode): PropertyDecorator {
  const refused = refusedAs(code, 'must be a number of leaves');
  return applyDecorators(
    ApiProperty({ type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description, example: 1 }),
    Transform(({ value }: { value: unknown }) => sizeOf(value)),
    IsInt(refused),
    Min(0, refused),
    Max(Number.MAX_SAFE_INTEGER, refused),
  );
}

function sizeOf(value: unknown): unknown {
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
  static readonly missingCode = 'VALIDATION_ERROR' satisfies ErrorCode;

  @TreeSize('number of leaves of the older tree')
  from!: number;

  @TreeSize('number of leaves of the newer tree')
  to!: number;
}
