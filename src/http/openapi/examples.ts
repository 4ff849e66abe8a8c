import { ERROR_CATALOGUE, type ErrorCode } from '../../common/errors/error-catalogue.js';

// Complete examples of bodies and responses, built from the examples of their fields, so that each can be copied.

type Schema = Record<string, unknown>;
type Schemas = Readonly<Record<string, Schema>>;

const HASH = '0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060';
const ADDRESS = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const ID = '0198b2f0-5f0e-7cc0-8d6a-0d9f2f6f3b11';

/** Examples of fields that have the same meaning in all schemas. */
const BY_NAME: Readonly<Record<string, unknown>> = {
  address: ADDRESS,
  blockchainTxHash: HASH,
  contractAddress: '0x5FbDB2315678afecb367f032d93F642f64180aa3',
  csrfToken: 'Rk9vd1p1bUZxdk5ZVmZzSQ',
  currency: 'USDC',
  depositAddress: ADDRESS,
  destinationAddress: ADDRESS,
  email: 'ann@example.com',
  description: 'Deposit of 600.00 USDC',
  firstName: 'Ann',
  from: ADDRESS,
  fromAddress: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
  full_name: 'Ann Example',
  gasFee: '0.00',
  gasPrice: '1.5',
  gasUsed: '52000',
  hasPrevious: false,
  id: ID,
  idempotencyKey: '7c9e6679-7425-40de-944b-e07fc1f90ae7',
  label: 'Deposit',
  lastName: 'Example',
  limit: 20,
  message: 'Your deposit of 600.00 USDC is in your balance.',
  name: 'Ann Example',
  note: 'Paid in the morning run.',
  page: 1,
  password: 'correct horse battery staple',
  permissions: ['withdrawals:read', 'withdrawals:approve'],
  reason: 'The address belongs to a sanctioned exchange.',
  refreshToken: 'b0VtY2hZd2t1dG9rZW5leGFtcGxlZm9ycmVmcmVzaGluZw',
  role: 'operator',
  roles: ['operator'],
  signature: `0x${'1b'.repeat(65)}`,
  spanId: '00f067aa0ba902b7',
  strategyName: 'Balanced',
  timestamp: '2026-01-31T12:00:00.000Z',
  title: 'Deposit credited',
  to: ADDRESS,
  toAddress: ADDRESS,
  token: 'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIwMTk4YjJmMCJ9.signature',
  total: 1,
  totalPages: 1,
  traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
  trace_id: '4bf92f3577b34da6a3ce929d0e0e4736',
  transactionHash: HASH,
  txHash: HASH,
  userEmail: 'ann@example.com',
  userId: ID,
  walletAddress: ADDRESS,
};

/** An example for `schema`, which describes the field `name`. Nullable and optional fields get a value. */
function exampleOf(schema: Schema, schemas: Schemas, name = ''): unknown {
  if (typeof schema.$ref === 'string') {
    const referred = schema.$ref.split('/').at(-1) as string;
    return exampleOf(schemas[referred] ?? {}, schemas, name);
  }
  if (schema.example !== undefined) return schema.example;
  if (schema.const !== undefined) return schema.const;
  if (Array.isArray(schema.allOf)) {
    return Object.assign({}, ...schema.allOf.map((part: Schema) => exampleOf(part, schemas, name))) as object;
  }
  const choices = (schema.oneOf ?? schema.anyOf) as Schema[] | undefined;
  if (choices?.[0]) return exampleOf(choices[0], schemas, name);
  if (Array.isArray(schema.enum)) return schema.enum[0] as unknown;
  return exampleOfType(schema, schemas, name);
}

function exampleOfType(schema: Schema, schemas: Schemas, name: string): unknown {
  const type = Array.isArray(schema.type) ? (schema.type[0] as string) : schema.type;
  const exampleByName = BY_NAME[name];
  if (exampleByName !== undefined && hasType(exampleByName, type)) return exampleByName;
  switch (type) {
    case 'object':
      return exampleOfObject(schema, schemas);
    case 'array':
      return [exampleOf((schema.items ?? {}) as Schema, schemas, name.replace(/s$/, ''))];
    case 'boolean':
      return true;
    case 'integer':
    case 'number':
      return schema.minimum ?? 1;
    case 'string':
      return exampleOfText(schema);
    default:
      return {};
  }
}

function exampleOfObject(schema: Schema, schemas: Schemas): Record<string, unknown> {
  const fields = Object.entries((schema.properties ?? {}) as Record<string, Schema>);
  if (fields.length > 0) {
    return Object.fromEntries(fields.map(([name, field]) => [name, exampleOf(field, schemas, name)]));
  }
  const values = schema.additionalProperties;
  return typeof values === 'object' && values !== null
    ? { pendle: exampleOf(values as Schema, schemas) } // a protocol; maps with other keys need an example of their own
    : {};
}

function exampleOfText({ format, minLength }: Schema): string {
  if (format === 'uuid') return ID;
  if (format === 'date-time') return '2026-01-31T12:00:00.000Z';
  if (format === 'date') return '2026-01-31';
  return 'text'.padEnd(typeof minLength === 'number' ? minLength : 0, '.');
}

/** True if the example, which is never null, has the type of the JSON schema. */
function hasType(example: unknown, schemaType: unknown): boolean {
  if (Array.isArray(example)) return schemaType === 'array';
  return typeof example === (schemaType === 'integer' ? 'number' : schemaType);
}

/** One example for each code, which responses reference. */
export function refusalExamples(codes: Iterable<ErrorCode>): Record<string, { value: object }> {
  return Object.fromEntries(
    [...codes].sort().map((code) => [
      code,
      {
        value: {
          success: false,
          error: { code, message: ERROR_CATALOGUE[code].message },
          timestamp: BY_NAME.timestamp,
          traceId: BY_NAME.traceId,
          spanId: BY_NAME.spanId,
          trace_id: BY_NAME.trace_id,
        },
      },
    ]),
  );
}

interface Content {
  schema?: Schema;
  example?: unknown;
}
interface Operation {
  parameters?: { name: string; in: string; required?: boolean; schema?: Schema; example?: unknown }[];
  requestBody?: { content?: Record<string, Content> };
  responses?: Record<string, { content?: Record<string, Content> }>;
}

/** Adds an example to every body, every successful response and every path parameter. */
export function addExamples(paths: Record<string, object>, schemas: Schemas): void {
  for (const [path, operations] of Object.entries(paths)) {
    for (const operation of Object.values(operations) as Operation[]) {
      for (const parameter of operation.parameters ?? []) {
        if (parameter.in !== 'path' || (parameter.example ?? parameter.schema?.example) !== undefined)
          continue;
        parameter.example = exampleOfPathParameter(path, parameter.name);
      }
      const regular = Object.entries(operation.responses ?? {}).filter(([status]) => status < '300');
      for (const body of [operation.requestBody, ...regular.map(([, response]) => response)]) {
        const json = body?.content?.['application/json'];
        if (json?.schema && Object.keys(json.schema).length > 0) {
          json.example ??= exampleOf(json.schema, schemas);
        }
      }
    }
  }
}

function exampleOfPathParameter(path: string, name: string): string {
  if (name === 'id' && path.includes('/strategies/')) return 'balanced-10';
  if (name === 'id' && path.includes('/networks/')) return 'ERC20';
  return name === 'id' ? ID : name;
}
