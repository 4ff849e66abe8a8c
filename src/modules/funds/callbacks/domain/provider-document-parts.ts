import type { Schema } from '../../../../http/openapi/schemas.js';

// Parts that the documents of all providers share.

export interface HeaderDescription {
  readonly name: string;
  readonly description: string;
  readonly example: string;
  readonly optional?: boolean;
}

export const headerParameter = ({ name, description, example, optional }: HeaderDescription) => ({
  name,
  in: 'header',
  description,
  required: !optional,
  schema: { type: 'string' },
  example,
});

export const jsonBody = (schema: Schema, example: unknown) => ({
  required: true,
  content: { 'application/json': { schema, example } },
});

export const jsonAnswer = (description: string, schema: Schema) => ({
  description,
  content: { 'application/json': { schema } },
});

export const messageRef = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });

export const infoOf = (title: string, version: string, description: string) => ({
  title: `Stablecoin investment platform: ${title}`,
  version,
  description,
  license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
});

const CALLBACK_RULES = `The platform stores the callback, answers and processes it afterwards, so that 200 says nothing about the effect. Repeat a callback
without an answer of 2xx within 10 seconds, with growing delays and a new signature: the platform needs it once, in any order, and
recognises repetitions. 401 means that key, signature or time is wrong, 404 that the name in the path is another one.`;

interface CallbackDescription {
  readonly operationId: string;
  readonly summary: string;
  readonly path: string;
  readonly description: string;
  readonly headers: readonly HeaderDescription[];
  readonly schema: Schema;
  readonly example: unknown;
}

/** A callback to the platform. `x-path` is its path below the address of the service (CALLBACK_URL or PUBLIC_URL). */
export const callbackOf = (callback: CallbackDescription) => ({
  'x-path': callback.path,
  post: {
    operationId: callback.operationId,
    summary: callback.summary,
    description: `POST ${callback.path}\n\n${callback.description}\n\n${CALLBACK_RULES}`,
    security: [],
    parameters: callback.headers.map(headerParameter),
    requestBody: jsonBody(callback.schema, callback.example),
    responses: {
      200: jsonAnswer('Stored now, or before (`duplicate`).', {
        type: 'object',
        required: ['success', 'data'],
        properties: {
          success: { const: true },
          data: {
            type: 'object',
            required: ['received', 'duplicate'],
            properties: { received: { const: true }, duplicate: { type: 'boolean' } },
          },
        },
      }),
      '4XX': jsonAnswer(
        'Not stored: WEBHOOK_SIGNATURE_INVALID (401), NOT_FOUND (404), VALIDATION_ERROR (400).',
        FAILURE,
      ),
      '5XX': jsonAnswer('Not stored: repeat it.', FAILURE),
    },
  },
});

const FAILURE: Schema = {
  type: 'object',
  required: ['success', 'error'],
  properties: {
    success: { const: false },
    error: { type: 'object', required: ['code'], properties: { code: { type: 'string' } } },
  },
};
