import type { OpenAPIObject } from '@nestjs/swagger';
import type { SeededRandom } from '../../harness/seeded-random.js';

export type Schema = Record<string, unknown>;

export interface Field {
  readonly name: string;
  readonly schema: Schema;
  readonly required: boolean;
}

/** A route and method as the OpenAPI document has them: what it takes, and who may call. */
export interface Operation {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  /** Names of the parameters in its path. */
  readonly inPath: readonly string[];
  readonly inQuery: readonly Field[];
  /** Fields of its body; undefined where the document has none. */
  readonly body: readonly Field[] | undefined;
  /** It takes an Idempotency-Key: it moves money, or decides about it. */
  readonly isKeyed: boolean;
  readonly caller: 'nobody' | 'user' | 'admin';
}

interface DocumentedOperation {
  parameters?: { name: string; in: string; required?: boolean; schema?: Schema }[];
  requestBody?: { content?: Record<string, { schema?: Schema }> };
  security?: object[];
}

export function operationsOf(document: OpenAPIObject): Operation[] {
  const schemas = (document.components?.schemas ?? {}) as Record<string, Schema>;
  return Object.entries(document.paths).flatMap(([path, operations]) =>
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
  if (first === undefined) return 'nobody';
  return first.startsWith('admin') ? 'admin' : 'user';
}

function resolved(schema: Schema, schemas: Record<string, Schema>): Schema {
  const name = (schema.$ref as string | undefined)?.split('/').at(-1);
  return name === undefined ? schema : (schemas[name] ?? {});
}

/** Of a choice of schemas the first counts. */
function fieldsOf(given: Schema, schemas: Record<string, Schema>): Field[] {
  const [first] = (given.oneOf ?? []) as Schema[];
  const schema = resolved(first ?? given, schemas);
  const required = (schema.required ?? []) as string[];
  return Object.entries((schema.properties ?? {}) as Record<string, Schema>).map(([name, property]) => ({
    name,
    required: required.includes(name),
    schema: withFields(resolved(property, schemas), schemas),
  }));
}

function withFields(schema: Schema, schemas: Record<string, Schema>): Schema {
  return schema.properties ? { ...schema, fields: fieldsOf(schema, schemas) } : schema;
}

/** Samples of what a pattern alone does not tell. */
const SAMPLES: Record<string, (random: SeededRandom) => unknown> = {
  email: (random) => `someone-${random.integer(1, 1e9)}@mail.example.net`,
  url: () => 'http://127.0.0.1:9/hooks', // nobody listens there
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

/** A value that a field takes, as far as its schema tells. */
export function fitting({ name, schema }: Field, random: SeededRandom): unknown {
  if (schema.enum) return random.oneOf(schema.enum as unknown[]);
  const sample = SAMPLES[name];
  if (sample) return sample(random);
  if (schema.example !== undefined) return schema.example;
  if (schema.fields) return fittingFields(schema.fields as Field[], random);
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  if (type === 'array')
    return [fitting({ name: 'item', required: true, schema: schema.items as Schema }, random)];
  if (type === 'boolean') return random.oneOf([true, false]);
  if (type === 'integer' || type === 'number')
    return Math.max(1, (schema.minimum as number | undefined) ?? 1);
  if (/[uU]ser_?[iI]d$|^id$/.test(name) || schema.format === 'uuid') return uuid(random);
  if (typeof schema.pattern === 'string' && schema.pattern.startsWith('^0x')) return `0x${hex(random, 40)}`;
  return `some ${name}`.padEnd((schema.minLength as number | undefined) ?? 0, '.');
}

/** A body of all fields that are required, and of some that are not. */
export function fittingFields(fields: readonly Field[], random: SeededRandom): Record<string, unknown> {
  const taken = fields.filter(({ required }) => required || random.next() < 0.5);
  return Object.fromEntries(taken.map((field) => [field.name, fitting(field, random)]));
}

export function uuid(random: SeededRandom): string {
  return [8, 4, 4, 4, 12].map((digits) => hex(random, digits)).join('-');
}

function hex(random: SeededRandom, digits: number): string {
  return Array.from({ length: digits }, () => random.integer(0, 15).toString(16)).join('');
}
