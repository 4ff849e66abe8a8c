import type { Schema } from '../../../../http/openapi/schemas.js';
import {
  MAX_ANSWER_BYTES,
  signatureOf,
  TIMEOUT_MS,
} from '../../../identity/screening/screening-provider.client.js';
import { headerParameter, infoOf, jsonAnswer, jsonBody, messageRef } from './provider-document-parts.js';

const QUESTION = {
  reference: '0198b2f0-5f0e-7cc0-8d6a-0d9f2f6f3b11',
  subject: {
    type: 'user',
    id: '0198b2f0-5f0e-7cc0-8d6a-0d9f2f6f3b12',
    email: 'ann@example.org',
    name: 'Ann',
  },
};

/** A signature that readers can recompute. */
const SIGNED = {
  secret: 'example-screening-provider-secret',
  timestamp: '1772445600',
  body: JSON.stringify(QUESTION),
};
const SIGNATURE = signatureOf(SIGNED.secret, SIGNED.timestamp, SIGNED.body);

const HEADERS = [
  {
    name: 'X-Timestamp',
    description:
      'Time of the signature, in seconds since 1970. Refuse one that differs from your clock by more than a few minutes.',
    example: SIGNED.timestamp,
  },
  {
    name: 'X-Signature',
    description: 'hex(HMAC-SHA256(SCREENING_SECRET, timestamp + "." + body)), in lower case.',
    example: SIGNATURE,
  },
];

const DESCRIPTION = `What a screening service offers to the platform, which asks it about users and addresses of withdrawals and deposits. The platform's requests lead to SCREENING_URL.

Each request is signed: X-Signature is the hex text, in lower case, of the HMAC-SHA256, with SCREENING_SECRET as it stands in the setting as the key, of the timestamp, a full stop and the
exact bytes of the body. \`x-signature-example\` is an example to recompute.

A request has a time-out of ${TIMEOUT_MS} ms. Without an answer of 2xx that this document describes, in at most ${MAX_ANSWER_BYTES} bytes, the platform asks again later with growing delays; a verdict is never
guessed, and what needs it waits. The same question can come again, with the same reference or another one: answer it again. The platform follows no redirects and ignores fields that this
document does not name. It also sends GET requests to SCREENING_URL itself without a signature, to see whether the server answers below 500.`;

const SUBJECTS = {
  UserSubject: {
    type: 'object',
    required: ['type', 'id', 'email'],
    additionalProperties: false,
    properties: {
      type: { type: 'string', enum: ['user'], description: 'a user of the platform' },
      id: { type: 'string', description: 'the id of the user, a UUID' },
      email: { type: 'string', description: 'the e-mail address of the account' },
      name: { type: 'string', description: 'the name in the profile; absent if there is none' },
    },
  },
  AddressSubject: {
    type: 'object',
    required: ['type', 'id', 'address', 'network'],
    additionalProperties: false,
    properties: {
      type: { type: 'string', enum: ['address'], description: 'an address on a chain' },
      id: { type: 'string', description: 'the address in lower case' },
      address: { type: 'string', description: 'the address' },
      network: { type: 'string', enum: ['ERC20'], description: 'the network of the address' },
    },
  },
  Question: {
    type: 'object',
    required: ['reference', 'subject'],
    additionalProperties: false,
    properties: {
      reference: { type: 'string', description: "the platform's id of the request, a UUID" },
      subject: { oneOf: [messageRef('UserSubject'), messageRef('AddressSubject')] },
    },
  },
};

export function screeningDocument(schemas: Record<string, Schema>, version: string): object {
  return {
    openapi: '3.1.0',
    info: infoOf('screening service', version, DESCRIPTION),
    servers: [{ url: 'https://screening.example', description: 'SCREENING_URL' }],
    security: [],
    'x-timeout-ms': TIMEOUT_MS,
    'x-signature-example': { ...SIGNED, signature: SIGNATURE },
    paths: {
      '/screen': {
        post: {
          operationId: 'screen',
          summary: 'A verdict on a user or an address',
          parameters: HEADERS.map(headerParameter),
          requestBody: jsonBody(messageRef('Question'), QUESTION),
          responses: {
            200: jsonAnswer('The verdict.', messageRef('ScreeningAnswer')),
            '4XX': { description: 'The signature or the question is wrong. The platform asks again later.' },
            '5XX': { description: 'The platform asks again later.' },
          },
        },
      },
    },
    components: { schemas: { ...SUBJECTS, ...schemas } },
  };
}
