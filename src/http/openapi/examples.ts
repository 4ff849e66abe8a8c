// Examples of fields, and complete examples of request bodies, which can be sent as they are. Tools compose the examples of responses
// from those of their fields.

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
  lastName: 'Example',
  limit: 20,
  note: 'Checked with the provider.',
  page: 1,
  password: 'correct horse battery staple',
  permissions: ['withdrawals:read', 'withdrawals:approve'],
  reason: 'The customer has asked for it.',
  refreshToken: 'b0VtY2hZd2t1dG9rZW5leGFtcGxlZm9ycmVmcmVzaGluZw',
  role: 'operator',
  roles: ['operator'],
  signature: `0x${'1b'.repeat(65)}`,
  spanId: '00f067aa0ba902b7',
  strategyName: 'Balanced',
  timestamp: '2026-01-31T12:00:00.000Z',
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

const SIGN_IN_MESSAGE = `localhost:3000 wants you to sign in with your Ethereum account:
${ADDRESS}

URI: http://localhost:3000
Version: 1
Chain ID: 31337
Nonce: b0VtY2hZd2t1
Issued At: 2026-01-31T12:00:00.000Z`;
const STRATEGY = { name: 'Balanced 10%', description: 'Lends stablecoins in several protocols.' };
const PERSON = { name: 'Ann Example' };
const MOVEMENT = { description: 'Deposit of 600.00 USDC' };

/** Examples of fields that mean something else in each schema, by the name of the schema. */
const BY_SCHEMA: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  AdminAccountResponse: PERSON,
  AdminLoginAccountResponse: PERSON,
  AdminProfileResponse: PERSON,
  AdminSignedOutResponse: { message: 'Signed out.' },
  AdminStrategyResponse: STRATEGY,
  AnnouncementResponse: {
    message: 'Withdrawals are carried out on Monday morning.',
    title: 'Maintenance on Sunday',
  },
  CancelledInvestmentResponse: { message: 'The investment was cancelled.' },
  ChangeStrategyRequest: STRATEGY,
  CreateTransactionRequest: { description: 'Correction of a deposit' },
  InvariantResponse: { description: 'The postings of every transaction add up to zero.' },
  MessageResponse: { message: 'Signed out.' },
  MovementResponse: MOVEMENT,
  NotificationResponse: {
    message: 'Your deposit of 600.00 USDC is in your balance.',
    title: 'Deposit credited',
  },
  ProfileRequest: PERSON,
  ProfileResponse: PERSON,
  QuickActionResponse: { label: 'Deposit' },
  RefusedTakeResponse: { message: 'The withdrawal is not pending any more.' },
  RequestedStrategyChangeResponse: STRATEGY,
  ShownProfileResponse: PERSON,
  StrategyDetailResponse: STRATEGY,
  StrategyResponse: STRATEGY,
  TimelineEntryResponse: MOVEMENT,
  TransactionMetadataResponse: MOVEMENT,
  UserActivityResponse: MOVEMENT,
  WalletChallengeResponse: { message: SIGN_IN_MESSAGE },
  WalletProofRequest: { message: SIGN_IN_MESSAGE },
  WalletSignInRequest: { message: SIGN_IN_MESSAGE },
  WebsocketStatusResponse: { message: 'Open a WebSocket at /api/live.' },
};

const ADMIN_SIGN_IN = { email: 'ann@example.org', password: BY_NAME.password };

/** Bodies whose fields exclude each other, or whose values belong together, by operationId. */
const BODIES: Readonly<Record<string, object>> = {
  signIn: { session: 'bearer', redirectUrl: 'http://localhost:3000/welcome' },
  signInAsAdmin: ADMIN_SIGN_IN,
  startAdminCookieSession: ADMIN_SIGN_IN,
  verifyStepUp: { code: '123456' },
  verifyStepUpAsAdmin: { code: '123456' },
  createStepUpAsAdmin: { action: 'withdrawal.approve', details: { id: ID } },
  updateProfile: {
    name: PERSON.name,
    language: 'de-CH',
    currency: 'EUR',
    notifications: { email: true, push: true },
  },
  createTransaction: {
    type: 'deposit',
    userId: ID,
    amount: '100.00',
    currency: 'USDC',
    description: 'Correction of a deposit',
    source: 'deposit-provider',
  },
  claimDeposit: { txHash: HASH, amount: '600.00', currency: 'USDC', fromAddress: ADDRESS },
  resetFactors: { email: 'admin2@example.com', reason: 'Lost phone' },
  executeTransactions: { assignedTo: 'admin2@example.com' },
  repeatEvent: { consumer: 'notifications' },
  continueProofLog: { reason: 'The backup of last night was restored.' },
  createReconciliation: {
    source: 'deposit-provider',
    from: '2026-01-31',
    to: '2026-01-31',
    format: 'json',
    lines: [
      {
        reference: '1000001',
        txHash: HASH,
        amount: '600.00',
        currency: 'USDC',
        network: 'ERC20',
        direction: 'in',
        date: '2026-01-31',
        status: 'completed',
      },
    ],
  },
};

/** An example for `schema`, which describes the field `name`. Nullable and optional fields get a value. */
export function exampleOf(schema: Schema, schemas: Schemas, name = ''): unknown {
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
  const types = schema.type ?? (schema.properties && 'object');
  const type: unknown = Array.isArray(types) ? types[0] : types;
  const exampleByName = schema.format === undefined ? BY_NAME[name] : undefined;
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

/** Adds an example to the fields whose type alone does not show what they contain. */
export function addFieldExamples(schemas: Schemas): void {
  for (const [schemaName, schema] of Object.entries(schemas))
    for (const [name, field] of Object.entries((schema.properties ?? {}) as Record<string, Schema>)) {
      const example = BY_SCHEMA[schemaName]?.[name] ?? BY_NAME[name];
      const type = Array.isArray(field.type) ? (field.type[0] as string) : field.type;
      const isOpen = ['example', 'const', 'enum', 'format'].every((key) => field[key] === undefined);
      if (isOpen && type !== 'boolean' && example !== undefined && hasType(example, type))
        field.example = example;
    }
}

interface Content {
  schema?: Schema;
  example?: unknown;
}
interface Operation {
  operationId: string;
  parameters?: { name: string; in: string; required?: boolean; schema?: Schema; example?: unknown }[];
  requestBody?: { content?: Record<string, Content> };
}

/** Adds an example to every body of a request and every path parameter. */
export function addBodyExamples(paths: Record<string, object>, schemas: Schemas): void {
  for (const operations of Object.values(paths)) {
    for (const operation of Object.values(operations) as Operation[]) {
      for (const parameter of operation.parameters ?? []) {
        if (parameter.in === 'path' && parameter.schema?.example === undefined)
          parameter.example ??= exampleOf(parameter.schema ?? {}, schemas);
      }
      const json = operation.requestBody?.content?.['application/json'];
      if (json?.schema && Object.keys(json.schema).length > 0)
        json.example ??= BODIES[operation.operationId] ?? exampleOf(json.schema, schemas);
    }
  }
}
