import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import { Money } from '../../common/money.js';
import { defineWriter, type WriteValue } from './model-fields.js';

// Decorators for the fields of response classes. The OpenAPI document, with which the tests compare real responses, is
// generated from them, and `toResponse` fills the fields.

interface FieldOptions {
  /** The field may be null. It is always present. */
  nullable?: boolean;
  /** The field may be absent. */
  optional?: boolean;
  description?: string;
  example?: unknown;
  deprecated?: boolean;
}

/** For a field of an earlier version, beside the one that replaces it. */
export const replacedBy = (name: string) => ({
  deprecated: true,
  description: `another name of ${name}; it is removed six months after the release that introduced ${name}`,
});

function field(schema: object, { optional, ...documentation }: FieldOptions = {}): PropertyDecorator {
  return ApiProperty({ ...schema, required: !optional, ...documentation } as ApiPropertyOptions);
}

/** A field that `toResponse` also fills from a value of another type, which `write` returns as text. */
function written(write: WriteValue, schema: object, options?: FieldOptions): PropertyDecorator {
  const document = field(schema, options);
  return (prototype, name) => {
    document(prototype, name);
    defineWriter(prototype, name, write);
  };
}

const writeMoney: WriteValue = (value) => (value instanceof Money ? value.toWire() : value);
const writeExact: WriteValue = (value) => (value instanceof Money ? value.toExact() : value);
const writeInstant: WriteValue = (value) => (value instanceof Date ? value.toISOString() : value);
const writeHash: WriteValue = (value) => (Buffer.isBuffer(value) ? value.toString('base64') : value);

const HASH = { type: 'string', pattern: '^[A-Za-z0-9+/]{43}=$' };
const HASH_EXAMPLE = '47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=';

export const UuidField = (options?: FieldOptions) => field({ type: 'string', format: 'uuid' }, options);
export const StringField = (options?: FieldOptions) => field({ type: 'string' }, options);
/** Decimal string, two to six decimals. */
export const MoneyField = (options?: FieldOptions) =>
  written(writeMoney, { type: 'string', pattern: '^-?\\d+\\.\\d{2,6}$' }, { example: '10.00', ...options });
/** Decorates a class whose fields are amounts, with the options of each. */
export const MoneyFields =
  (fields: Readonly<Record<string, { readonly description: string }>>): ClassDecorator =>
  ({ prototype }) => {
    for (const [name, { description }] of Object.entries(fields))
      MoneyField({ description })(prototype as object, name);
  };
/** Decimal string of an amount that is not rounded, two to 24 decimals. */
export const ExactAmountField = (options?: FieldOptions) =>
  written(writeExact, { type: 'string', pattern: '^-?\\d+\\.\\d{2,24}$' }, { example: '10.00', ...options });
/** 32 bytes in base64. */
export const HashField = (options?: FieldOptions) =>
  written(writeHash, HASH, { example: HASH_EXAMPLE, ...options });
export const HashListField = (options?: FieldOptions) =>
  written(
    (hashes) => (hashes as readonly unknown[]).map(writeHash),
    { type: 'array', items: HASH },
    { example: [HASH_EXAMPLE], ...options },
  );
/** ISO 8601, UTC. */
export const InstantField = (options?: FieldOptions) =>
  written(writeInstant, { type: 'string', format: 'date-time' }, options);
export const AsOfField = (options?: FieldOptions) =>
  InstantField({ description: 'the time up to which figures from sums include every change', ...options });
/** Calendar day, UTC. */
export const DayField = (options?: FieldOptions) => field({ type: 'string', format: 'date' }, options);
/** A ratio or percentage: a JSON number. */
export const NumberField = (options?: FieldOptions) => field({ type: 'number' }, { example: 10, ...options });
export const IntegerField = (options?: FieldOptions) => field({ type: 'integer' }, options);
export const BooleanField = (options?: FieldOptions) => field({ type: 'boolean' }, options);
export const EnumField = (choices: readonly string[], options?: FieldOptions) =>
  field({ type: 'string', enum: [...choices] }, options);
export const EnumListField = (choices: readonly string[], options?: FieldOptions) =>
  field(
    { type: 'array', items: { type: 'string', enum: [...choices] } },
    { example: [...choices], ...options },
  );
export const StringListField = (options?: FieldOptions) =>
  field({ type: 'array', items: { type: 'string' } }, options);
/** An object with arbitrary keys; `values` is the schema of its values. */
export const MapField = (values: Record<string, unknown>, options?: FieldOptions) =>
  field({ type: 'object', additionalProperties: values }, options);
// Swagger treats a function as a lazy type only if its name is `type`. An arrow function gets this name as the value of the
// key `type`; `model` itself would keep its own name.
export const NestedField = (model: () => new () => object, options?: FieldOptions) =>
  field({ type: () => model() }, options);
export const ListField = (model: () => new () => object, options?: FieldOptions) =>
  field({ type: () => model(), isArray: true }, options);

// Fields of the pagination of a list that is inside `data`.
export const PageNumberField = () =>
  IntegerField({
    nullable: true,
    description: 'number of this page, from 1; null for a page that a cursor addresses',
  });
export const NextCursorField = () =>
  StringField({
    nullable: true,
    description: 'the cursor of the page after this one; null if there is none',
  });
export const PreviousCursorField = () =>
  StringField({
    nullable: true,
    description:
      'the cursor of the page before this one; null if there is none, or if a page with a number is empty',
  });
/** The whole pagination as an object. */
export const PaginationField = () => field({ $ref: '#/components/schemas/Pagination' });
