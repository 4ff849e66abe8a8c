import { ERROR_CATALOGUE, type ErrorCode } from '../../common/errors/error-catalogue.js';
import {
  partsOf,
  type CatalogueEntry,
  type DetailKind,
  type DetailShape,
  type DetailType,
} from '../../common/errors/error-details.js';

type Schema = Record<string, unknown>;

const INSTANT = '2026-01-31T12:00:00.000Z';

const SCHEMAS: Record<DetailKind, Schema> = {
  fields: { type: 'array', items: { $ref: '#/components/schemas/FieldProblem' } },
  text: { type: 'string' },
  texts: { type: 'array', items: { type: 'string' } },
  money: { type: 'string', pattern: '^-?\\d+\\.\\d{2,}$', example: '10.00' },
  instant: { type: 'string', format: 'date-time', example: INSTANT },
  id: { type: 'string', format: 'uuid' },
  integer: { type: 'integer' },
  object: { type: 'object' },
};

const FIELD_PROBLEM: Schema = {
  type: 'object',
  required: ['field', 'message'],
  properties: {
    field: { type: 'string', description: 'the name of a field of the body, of a parameter or of a header' },
    message: { type: 'string', example: 'is required' },
    line: { type: 'integer', description: 'the line of a text that was sent, such as a statement' },
  },
};

/** A schema for each error code that a route returns, named as the code, as the discriminators of responses require. */
export function errorSchemas(): Record<string, Schema> {
  const entries = (Object.entries(ERROR_CATALOGUE) as [ErrorCode, CatalogueEntry][]).filter(
    ([, { neverReturned }]) => !neverReturned,
  );
  const codes = entries.map(([code, entry]) => [code, errorSchema(code, entry)] as const);
  return { FieldProblem: FIELD_PROBLEM, ...Object.fromEntries(codes) };
}

/** The schema of an error with one of the codes, which determines its details. */
export function errorOf(codes: readonly ErrorCode[]): Schema {
  const schemas = codes.map((code) => ({ $ref: `#/components/schemas/${code}` }));
  if (schemas.length === 1) return schemas[0] as Schema;
  return { discriminator: { propertyName: 'code' }, oneOf: schemas };
}

function errorSchema(code: ErrorCode, { message, details }: CatalogueEntry): Schema {
  const shape = details && detailsSchema(details);
  return {
    type: 'object',
    required: ['code', 'message', ...(shape && shape.required.length > 0 ? ['details'] : [])],
    properties: {
      code: { type: 'string', const: code },
      message: { type: 'string', example: message },
      ...(shape && { details: shape }),
    },
  };
}

function detailsSchema(shape: DetailShape) {
  const names = Object.keys(shape);
  return {
    type: 'object',
    required: names.filter((name) => !partsOf(shape[name] as DetailType).isOptional),
    properties: Object.fromEntries(names.map((name) => [name, valueSchema(shape[name] as DetailType)])),
  };
}

/** `nullable` is written as OpenAPI 3.0 does; `withNullTypes` converts it. */
function valueSchema(type: DetailType): Schema {
  const { kind, isNullable } = partsOf(type);
  return isNullable ? { ...SCHEMAS[kind], nullable: true } : SCHEMAS[kind];
}
