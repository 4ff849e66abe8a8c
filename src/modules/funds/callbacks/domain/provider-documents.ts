import { Webhook } from 'standardwebhooks';
import type { Schema } from '../../../../http/openapi/schemas.js';
import { ScreeningAnswer } from '../../../identity/screening/domain/verdict.js';
import {
  MAX_ANSWER_BYTES,
  signatureOf,
  TIMEOUT_MS,
} from '../../../identity/screening/screening-provider.client.js';
import { YieldReportData, YieldReportMessage } from '../../../investing/strategies/domain/yield-report.js';
import {
  AddressMessage,
  DepositAddressMessage,
  DepositListMessage,
  DepositMessage,
  DepositTransactionMessage,
  InstrumentMessage,
  WithdrawalAddressMessage,
  WithdrawalMessage,
  WithdrawalTransactionMessage,
} from '../../deposits/domain/crypto2b.js';
import { depositDocument } from './deposit-document.js';
import {
  callbackOf,
  headerParameter,
  infoOf,
  jsonAnswer,
  jsonBody,
  messageRef,
  type HeaderDescription,
} from './provider-document-parts.js';

const SCREENING_QUESTION = {
  reference: '0198b2f0-5f0e-7cc0-8d6a-0d9f2f6f3b11',
  subject: {
    type: 'user',
    id: '0198b2f0-5f0e-7cc0-8d6a-0d9f2f6f3b12',
    email: 'ann@example.org',
    name: 'Ann',
  },
};

/** A signature that readers can recompute. */
const SIGNED_QUESTION = {
  secret: 'example-screening-provider-secret',
  timestamp: '1772445600',
  body: JSON.stringify(SCREENING_QUESTION),
};
const QUESTION_SIGNATURE = signatureOf(
  SIGNED_QUESTION.secret,
  SIGNED_QUESTION.timestamp,
  SIGNED_QUESTION.body,
);

const SCREENING_HEADERS = [
  {
    name: 'X-Timestamp',
    description:
      'Time of the signature, in seconds since 1970. Refuse one that differs from your clock by more than a few minutes.',
    example: SIGNED_QUESTION.timestamp,
  },
  {
    name: 'X-Signature',
    description: 'hex(HMAC-SHA256(SCREENING_SECRET, timestamp + "." + body)), in lower case.',
    example: QUESTION_SIGNATURE,
  },
];

const ABOUT_SCREENING = `What a screening service offers to the platform, which asks it about users and addresses of withdrawals and deposits. The platform's requests lead to SCREENING_URL.

Each request is signed: X-Signature is the hex text, in lower case, of the HMAC-SHA256, with SCREENING_SECRET as it stands in the setting as the key, of the timestamp, a full stop and the
exact bytes of the body. \`x-signature-example\` is an example to recompute.

A request has a time-out of ${TIMEOUT_MS} ms. Without an answer of 2xx that this document describes, in at most ${MAX_ANSWER_BYTES} bytes, the platform asks again later with growing delays; a verdict is never
guessed, and what needs it waits. The same question can come again, with the same reference or another one: answer it again. The platform follows no redirects and ignores fields that this
document does not name. It also sends GET requests to SCREENING_URL itself without a signature, to see whether the server answers below 500.`;

const SCREENING_SCHEMAS = {
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

function screeningDocument(schemas: Record<string, Schema>, version: string): object {
  return {
    openapi: '3.1.0',
    info: infoOf('screening service', version, ABOUT_SCREENING),
    servers: [{ url: 'https://screening.example', description: 'SCREENING_URL' }],
    security: [],
    'x-timeout-ms': TIMEOUT_MS,
    'x-signature-example': { ...SIGNED_QUESTION, signature: QUESTION_SIGNATURE },
    paths: {
      '/screen': {
        post: {
          operationId: 'screen',
          summary: 'A verdict on a user or an address',
          parameters: SCREENING_HEADERS.map(headerParameter),
          requestBody: jsonBody(messageRef('Question'), SCREENING_QUESTION),
          responses: {
            200: jsonAnswer('The verdict.', messageRef('ScreeningAnswer')),
            '4XX': { description: 'The signature or the question is wrong. The platform asks again later.' },
            '5XX': { description: 'The platform asks again later.' },
          },
        },
      },
    },
    components: { schemas: { ...SCREENING_SCHEMAS, ...schemas } },
  };
}

/** The body of a callback, as an example. */
export const YIELD_CALLBACK = {
  type: 'yield.reported',
  data: { strategyId: 'balanced-10', day: '2026-03-01', apy: '10.2', realisedAmount: '27.95' },
};

/** A signature that readers can recompute. */
const SIGNED_CALLBACK = {
  secret: `whsec_${Buffer.from('example-custody-provider-secret').toString('base64')}`,
  id: 'msg_1',
  timestamp: '1772445600',
  body: JSON.stringify(YIELD_CALLBACK),
};
const CALLBACK_SIGNATURE = new Webhook(SIGNED_CALLBACK.secret).sign(
  SIGNED_CALLBACK.id,
  new Date(Number(SIGNED_CALLBACK.timestamp) * 1000),
  SIGNED_CALLBACK.body,
);

export const CUSTODY_PROVIDER_HEADERS: readonly HeaderDescription[] = [
  {
    name: 'webhook-id',
    description: 'Id of the message; a repetition has the same id.',
    example: SIGNED_CALLBACK.id,
  },
  {
    name: 'webhook-timestamp',
    description: 'Time of the signature, in seconds since 1970.',
    example: SIGNED_CALLBACK.timestamp,
  },
  {
    name: 'webhook-signature',
    description:
      '`v1,` and base64 of the HMAC-SHA256 of id.timestamp.body with CUSTODY_WEBHOOK_SECRET, according to Standard Webhooks. ' +
      'The example is that of `x-signature-example` in docs/providers/custody.json.',
    example: CALLBACK_SIGNATURE,
  },
];

const ABOUT_CUSTODY = `What a custody provider, or a program of the operator in its place, sends to the platform. The platform calls nothing at the custody provider: operators pay
withdrawals there by hand.

Callbacks are signed according to Standard Webhooks (https://www.standardwebhooks.com): the key is the base64-decoded part of CUSTODY_WEBHOOK_SECRET behind
\`whsec_\`, the signed text is the id, a full stop, the timestamp in seconds, a full stop and the exact bytes of the body. The header webhook-signature has \`v1,\` and the base64 text of the
HMAC-SHA256; several signatures are separated by spaces, and one has to be right. The platform refuses a timestamp that differs from its clock by more
than five minutes. \`x-signature-example\` is an example to recompute.`;

function custodyDocument(schemas: Record<string, Schema>, version: string): object {
  return {
    openapi: '3.1.0',
    info: infoOf('custody provider', version, ABOUT_CUSTODY),
    servers: [{ url: 'https://api.example', description: 'CALLBACK_URL or PUBLIC_URL' }],
    security: [],
    'x-signature-example': { ...SIGNED_CALLBACK, signature: CALLBACK_SIGNATURE },
    webhooks: {
      yield: callbackOf({
        operationId: 'reportYield',
        summary: 'The rate that a strategy achieved on a day',
        path: '/api/webhooks/{CUSTODY_PROVIDER_NAME}/yield',
        description:
          'A later report of the same day, with an id of its own, is a correction. A report whose rate or amount is beyond the tolerance waits for an admin.',
        headers: CUSTODY_PROVIDER_HEADERS,
        schema: messageRef('YieldReportMessage'),
        example: YIELD_CALLBACK,
      }),
    },
    components: { schemas },
  };
}

const DEPOSIT_MESSAGES = [
  AddressMessage,
  DepositListMessage,
  DepositMessage,
  InstrumentMessage,
  DepositAddressMessage,
  DepositTransactionMessage,
  WithdrawalMessage,
  WithdrawalAddressMessage,
  WithdrawalTransactionMessage,
];
const CUSTODY_MESSAGES = [YieldReportMessage, YieldReportData];
const SCREENING_MESSAGES = [ScreeningAnswer];

/** The classes that validate what providers send. */
export const PROVIDER_MESSAGES = [...DEPOSIT_MESSAGES, ...CUSTODY_MESSAGES, ...SCREENING_MESSAGES];

/** The OpenAPI documents of the providers by file name. `schemas` are those of `PROVIDER_MESSAGES`. */
export function providerDocuments(
  schemas: Readonly<Record<string, Schema>>,
  version: string,
): Record<string, object> {
  const schemasOf = (messages: readonly (new () => object)[]) =>
    Object.fromEntries(messages.map(({ name }) => [name, schemas[name] ?? {}]));
  return {
    'deposit.json': depositDocument(schemasOf(DEPOSIT_MESSAGES), version),
    'custody.json': custodyDocument(schemasOf(CUSTODY_MESSAGES), version),
    'screening.json': screeningDocument(schemasOf(SCREENING_MESSAGES), version),
  };
}
