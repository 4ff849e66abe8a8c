import type { OpenAPIObject } from '@nestjs/swagger';
import { withoutReferences } from '../../../src/http/openapi/references.js';
import type { SeededRandom } from '../../harness/seeded-random.js';

export type Schema = Record<string, unknown>;

export interface Field {
  readonly name: string;
  readonly schema: Schema;
  readonly required: boolean;
}

/** A documented operation: its input and its access. */
export interface Operation {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  /** Names of path parameters. */
  readonly inPath: readonly string[];
  readonly inQuery: readonly Field[];
  /** Fields of the body; undefined without a documented body. */
  readonly body: readonly Field[] | undefined;
  /** Takes an Idempotency-Key. */
  readonly isKeyed: boolean;
  readonly caller: 'anonymous' | 'user' | 'admin';
}

interface DocumentedOperation {
  parameters?: { name: string; in: string; required?: boolean; schema?: Schema }[];
  requestBody?: { content?: Record<string, { schema?: Schema }> };
  security?: object[];
}

export function operationsOf(document: OpenAPIObject): Operation[] {
  const schemas = (document.components?.schemas ?? {}) as Record<string, Schema>;
  return Object.entries(withoutReferences(document).paths).flatMap(([path, operations]) =>
    Object.entries(operations as Record<string, DocumentedOperation>).map(([method, operation]) => {
      const parameters = operation.parameters ?? [];
      const schema = operation.requestBody?.content?.['application/json']?.schema;
      return {
        name: `${method.toUpperCase()} ${path}`,
        method: method.toUpperCase(),
        path,
        inPath: [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string),
        inQuery: parameters
          .filter((parameter) => parameter.in === 'query')
          .map(({ name, schema = {}, required = false }) => ({ name, required, schema })),
        body: schema && fieldsOf(schema, schemas),
        isKeyed: parameters.some(({ name }) => name === 'Idempotency-Key'),
        caller: callerOf(operation.security ?? []),
      };
    }),
  );
}

function callerOf(security: object[]): Operation['caller'] {
  const [first] = security.flatMap(Object.keys);
  if (first === undefined) return 'anonymous';
  return first.startsWith('admin') ? 'admin' : 'user';
}

function resolved(schema: Schema, schemas: Record<string, Schema>): Schema {
  const name = (schema.$ref as string | undefined)?.split('/').at(-1);
  return name === undefined ? schema : (schemas[name] ?? {});
}

/** The fields of a schema; of `oneOf` the first schema is used. */
function fieldsOf(schemaOrChoice: Schema, schemas: Record<string, Schema>): Field[] {
  const [first] = (schemaOrChoice.oneOf ?? []) as Schema[];
  const schema = resolved(first ?? schemaOrChoice, schemas);
  const required = (schema.required ?? []) as string[];
  return Object.entries((schema.properties ?? {}) as Record<string, Schema>).map(([name, property]) => ({
    name,
    required: required.includes(name),
    schema: withNestedFields(resolved(property, schemas), schemas),
  }));
}

/** Stores the fields of a nested object in `fields`, which `validValue` reads. */
function withNestedFields(schema: Schema, schemas: Record<string, Schema>): Schema {
  return schema.properties ? { ...schema, fields: fieldsOf(schema, schemas) } : schema;
}

/** Values for fields whose schema is not sufficient. */
const SAMPLE_VALUES: Record<string, (random: SeededRandom) => unknown> = {
  email: (random) => `someone-${random.integer(1, 1e9)}@mail.example.net`,
  url: () => 'http://127.0.0.1:9/hooks', // no process listens on this port
  password: () => 'correct horse battery staple',
  txHash: (random) => `0x${hex(random, 64)}`,
  transactionHash: (random) => `0x${hex(random, 64)}`,
  signature: (random) => `0x${hex(random, 130)}`,
  idempotencyKey: (random) => uuid(random),
  redirectUrl: () => 'http://localhost:3000/welcome',
  reason: () => 'As agreed',
  language: () => 'de-CH',
  currency: () => 'USDC',
  network: () => 'ERC20',
};

/** A value that matches the schema of a field. */
export function validValue({ name, schema }: Field, random: SeededRandom): unknown {
  if (schema.enum) return random.oneOf(schema.enum as unknown[]);
  const sample = SAMPLE_VALUES[name];
  if (sample) return sample(random);
  if (schema.example !== undefined) return schema.example;
  if (schema.fields) return validBody(schema.fields as Field[], random);
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  if (type === 'array')
    return [validValue({ name: 'item', required: true, schema: schema.items as Schema }, random)];
  if (type === 'boolean') return random.oneOf([true, false]);
  if (type === 'integer' || type === 'number')
    return Math.max(1, (schema.minimum as number | undefined) ?? 1);
  if (/[uU]ser_?[iI]d$|^id$/.test(name) || schema.format === 'uuid') return uuid(random);
  if (typeof schema.pattern === 'string' && schema.pattern.startsWith('^0x')) return `0x${hex(random, 40)}`;
  return `some ${name}`.padEnd((schema.minLength as number | undefined) ?? 0, '.');
}

/** A body with the required fields and some optional ones. */
export function validBody(fields: readonly Field[], random: SeededRandom): Record<string, unknown> {
  const chosen = fields.filter(({ required }) => required || random.next() < 0.5);
  return Object.fromEntries(chosen.map((field) => [field.name, validValue(field, random)]));
}

export function uuid(random: SeededRandom): string {
  return [8, 4, 4, 4, 12].map((digits) => hex(random, digits)).join('-');
}

function hex(random: SeededRandom, digits: number): string {
  return Array.from({ length: digits }, () => random.integer(0, 15).toString(16)).join('');
}
