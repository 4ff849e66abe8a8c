import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import { DESCRIPTION } from './description.js';
import { documentRequestFields } from './request-fields.js';
import { errorSchemas } from './error-schemas.js';
import { addBodyExamples, addFieldExamples } from './examples.js';
import { addHeaders } from './headers.js';
import { nameOperations } from './operation-ids.js';
import { shareComponents } from './references.js';
import { addRefusals } from './refusals.js';
import { addTags } from './tags.js';
import { addWebhooks, webhookBodies } from './webhooks.js';

const ENVELOPE_FIELDS = {
  timestamp: { type: 'string', format: 'date-time' },
  traceId: { type: 'string', pattern: '^[0-9a-f]{32}$' },
  spanId: { type: 'string', pattern: '^[0-9a-f]{16}$' },
};

/** The schema of an envelope. Every response has `success`, the `ENVELOPE_FIELDS` and the fields `alsoRequired`. */
function envelope(properties: object, ...alsoRequired: string[]): object {
  const required = ['success', ...Object.keys(ENVELOPE_FIELDS), ...alsoRequired];
  return { type: 'object', required, properties };
}

// `trace_id` repeats `traceId`: in every error, and in the response to the request of a withdrawal.
const SHARED_SCHEMAS = {
  ...errorSchemas(),
  Success: envelope({
    success: { const: true },
    message: { type: 'string', example: 'Done.' },
    ...ENVELOPE_FIELDS,
    trace_id: { type: 'string' },
  }),
  HealthEnvelope: envelope({
    success: { type: 'boolean', description: 'true if the service is healthy' },
    ...ENVELOPE_FIELDS,
  }),
  // Responses add `error`.
  Failure: envelope(
    { success: { const: false }, ...ENVELOPE_FIELDS, trace_id: { type: 'string' } },
    'trace_id',
  ),
  Pagination: {
    type: 'object',
    required: ['page', 'limit', 'total', 'totalPages', 'hasNext', 'hasPrevious', 'next', 'previous'],
    properties: {
      page: {
        type: 'integer',
        nullable: true,
        description: 'number of this page, from 1; null for a page that a cursor addresses',
      },
      limit: { type: 'integer', description: 'largest number of rows of a page' },
      total: { type: 'integer', description: 'rows that the filter selects, on all pages' },
      totalPages: { type: 'integer', description: 'pages with this limit; 0 without rows' },
      hasNext: { type: 'boolean' },
      hasPrevious: { type: 'boolean' },
      next: {
        type: 'string',
        nullable: true,
        description:
          'the cursor of the page after this one, for the parameter `cursor`; null if there is none',
      },
      previous: {
        type: 'string',
        nullable: true,
        description:
          'the cursor of the page before this one; null if there is none, or if a page with a number is empty',
      },
      asOf: {
        type: 'string',
        format: 'date-time',
        description: 'Of lists whose total comes from sums: the time up to which it includes every change',
      },
    },
  },
};

const COOKIE =
  'Set by a sign-in that asks for a cookie session. Outside production its name has no prefix __Host-.';
const BEARER_JWT = { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } as const;
const BEARER_KEY = { type: 'http', scheme: 'bearer', bearerFormat: 'opaque' } as const;
const IDENTITY_TOKEN = 'JWT of the identity provider. Signing in exchanges it for a token of this service.';
const USER_TOKEN = '`token` of the response to the sign-in of a user.';
const API_KEY =
  '`key` of the response to POST /api/user/api-keys. It opens the operations whose `x-scope` it has; `any` admits every key. Its ' +
  'requests count in the rate limit class `key`, and with all keys of the user in the class `key-user`.';
const ADMIN_TOKEN = '`token` of the response to the sign-in of an admin.';
const METRICS_TOKEN =
  'The value of the setting METRICS_TOKEN. Without the setting no token is needed; in production the route then answers 404.';
const CSRF = '`csrfToken` of the sign-in. GET requests to /api/auth/cookie/* do not require it.';

/** The OpenAPI 3.1 document of the application's routes. */
export function openApiDocument(app: INestApplication, version: string): OpenAPIObject {
  const base = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('Stablecoin investment platform')
    .setDescription(DESCRIPTION)
    .setVersion(version)
    .setLicense('MIT', 'https://opensource.org/license/mit')
    .addServer('/', 'the server that serves this document')
    .addServer('http://localhost:3000', 'the sandbox on your machine')
    .addBearerAuth({ ...BEARER_JWT, description: IDENTITY_TOKEN }, 'identity-provider')
    .addBearerAuth({ ...BEARER_JWT, description: USER_TOKEN }, 'user')
    .addBearerAuth({ ...BEARER_JWT, description: ADMIN_TOKEN }, 'admin')
    .addBearerAuth({ ...BEARER_KEY, description: API_KEY }, 'apiKey')
    .addBearerAuth({ ...BEARER_KEY, description: METRICS_TOKEN }, 'metrics')
    .addApiKey({ type: 'apiKey', in: 'cookie', name: '__Host-session', description: COOKIE }, 'user-cookie')
    .addApiKey(
      { type: 'apiKey', in: 'cookie', name: '__Host-admin-session', description: COOKIE },
      'admin-cookie',
    )
    .addApiKey({ type: 'apiKey', in: 'header', name: 'X-CSRF-Token', description: CSRF }, 'csrf')
    .build();
  documentRequestFields(); // before `createDocument`, which reads the metadata that this writes
  // `nameOperations` names the operations whose route states no operationId.
  const document = SwaggerModule.createDocument(app, base, {
    operationIdFactory: () => '',
    extraModels: webhookBodies(),
  });
  addWebhooks(document);
  nameOperations(document);
  document.components = {
    ...document.components,
    schemas: { ...document.components?.schemas, ...(SHARED_SCHEMAS as object) },
  };
  addRefusals(document);
  addHeaders(document);
  removeCsrfFromCookieReads(document);
  markOptionalBodies(document);
  document.tags = addTags(document.paths);
  const complete = withNullTypes(document) as OpenAPIObject;
  // After `withNullTypes`: the examples of nullable fields depend on their types.
  const schemas = complete.components?.schemas as Record<string, Record<string, unknown>>;
  addFieldExamples(schemas);
  addBodyExamples(complete.paths, schemas);
  shareComponents(complete);
  return complete;
}

/** A GET request needs no CSRF token if its route accepts nothing but a session cookie. */
function removeCsrfFromCookieReads(document: OpenAPIObject): void {
  for (const { get } of Object.values(document.paths)) {
    const [requirement, ...alternatives] = get?.security ?? [];
    if (!requirement || alternatives.length > 0) continue;
    if (Object.keys(requirement).some((scheme) => scheme.endsWith('-cookie'))) delete requirement.csrf;
  }
}

interface OperationWithBody {
  requestBody?: { required?: boolean; content: Record<string, { schema?: { $ref?: string } }> };
}

/** A body without required fields may be absent. */
function markOptionalBodies(document: OpenAPIObject): void {
  const schemas = document.components?.schemas as Record<string, { required?: string[] }>;
  for (const { requestBody } of Object.values(document.paths).flatMap(
    (operations) => Object.values(operations) as OperationWithBody[],
  )) {
    const name = requestBody?.content['application/json']?.schema?.$ref?.split('/').at(-1);
    if (requestBody && name && !schemas[name]?.required?.length) requestBody.required = false;
  }
}

/** Replaces `nullable: true` of OpenAPI 3.0 by the type null of 3.1. Any other `nullable` may be a field's name, and stays. */
export function withNullTypes(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(withNullTypes);
  if (typeof node !== 'object' || node === null) return node;
  const { nullable, ...rest } = Object.fromEntries(
    Object.entries(node).map(([key, value]) => [key, withNullTypes(value)]),
  ) as Record<string, unknown>;
  if (nullable !== true) return { ...rest, ...(nullable === undefined ? {} : { nullable }) };
  if (typeof rest.type !== 'string') return { anyOf: [rest, { type: 'null' }] };
  return {
    ...rest,
    type: [rest.type, 'null'],
    ...(Array.isArray(rest.enum) ? { enum: [...(rest.enum as unknown[]), null] } : {}),
  };
}
