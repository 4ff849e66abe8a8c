import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';

// Fields of answers, by what they mean. A view class lists its fields with these; the OpenAPI document and the
// tests that compare real answers with it follow from them.

interface FieldOptions {
  /** May be null. A documented field without a value is present as null. */
  nullable?: boolean;
  /** May be absent. */
  optional?: boolean;
  description?: string;
  example?: unknown;
}

function field(schema: Record<string, unknown>, options: FieldOptions = {}): PropertyDecorator {
  const { nullable, optional, description, example } = options;
  return ApiProperty({
    ...schema,
    required: !optional,
    ...(nullable ? { nullable } : {}),
    ...(description === undefined ? {} : { description }),
    ...(example === undefined ? {} : { example }),
  } as ApiPropertyOptions);
}

export const Uuid = (options?: FieldOptions) =>
  field({ type: 'string', format: 'uuid' }, { example: '0198b2f0-5f0e-7cc0-8d6a-0d9f2f6f3b11', ...options });
export const Text = (options?: FieldOptions) => field({ type: 'string' }, options);
/** Decimal string, two to six decimals. */
export const MoneyText = (options?: FieldOptions) =>
  field({ type: 'string', pattern: '^-?\\d+\\.\\d{2,6}$' }, { example: '10.00', ...options });
/** Decimal string with all its decimals, at least two. */
export const ExactAmount = (options?: FieldOptions) =>
  field({ type: 'string', pattern: '^-?\\d+\\.\\d{2,24}$' }, { example: '10.00', ...options });
/** ISO 8601, UTC. */
export const Instant = (options?: FieldOptions) =>
  field({ type: 'string', format: 'date-time' }, { example: '2026-01-31T12:00:00.000Z', ...options });
/** Calendar day, UTC. */
export const DayText = (options?: FieldOptions) =>
  field({ type: 'string', format: 'date' }, { example: '2026-01-31', ...options });
/** A ratio or percentage: a JSON number. */
export const Ratio = (options?: FieldOptions) => field({ type: 'number' }, { example: 10, ...options });
export const Count = (options?: FieldOptions) => field({ type: 'integer' }, { example: 1, ...options });
export const Flag = (options?: FieldOptions) => field({ type: 'boolean' }, options);
export const Choice = (choices: readonly string[], options?: FieldOptions) =>
  field({ type: 'string', enum: [...choices] }, { example: choices[0], ...options });
export const TextList = (options?: FieldOptions) =>
  field({ type: 'array', items: { type: 'string' } }, options);
/** An object whose keys are data: key → schema of each value. */
export const MapOf = (values: Record<string, unknown>, options?: FieldOptions) =>
  field({ type: 'object', additionalProperties: values }, options);
export const Nested = (view: () => new () => object, options?: FieldOptions) =>
  field({ type: () => view() }, options);
/** The pagination of a list that stands inside of `data`. */
export const PaginationField = () => field({ $ref: '#/components/schemas/Pagination' });
export const ListOf = (view: () => new () => object, options?: FieldOptions) =>
  field({ type: () => view(), isArray: true }, options);
