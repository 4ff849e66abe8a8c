import type { Schema } from '../../../../http/openapi/schemas.js';
import {
  MAX_ANSWER_BYTES,
  READ_ATTEMPTS,
  RECV_WINDOW_MS,
  RETRY_DELAY_MS,
  TIMEOUT_MS,
} from '../../deposits/deposit-provider.client.js';
import { crypto2bSignature } from '../../deposits/domain/crypto2b.js';
import {
  callbackOf,
  headerParameter,
  infoOf,
  jsonAnswer,
  jsonBody,
  messageRef,
  type HeaderDescription,
} from './provider-document-parts.js';

/** An id of the platform: that of the user in messages about deposits, that of the withdrawal in those about withdrawals. */
const EXAMPLE_ID = '0198b2f0-5f0e-7cc0-8d6a-0d9f2f6f3b11';
const PATH = '/api/webhooks/{DEPOSIT_PROVIDER_NAME}';

const DEPOSIT = {
  type: 'Deposit',
  id: 1_000_001,
  status: 'Success',
  date: '2026-03-02T10:00:00.000Z',
  clientDepositId: null,
  error: null,
  instrument: { currencyShortName: 'USDT', transportProtocol: 'trc20' },
  address: {
    address: 'TDepositDepositDepositDepositDepos',
    tag: null,
    foreignId: EXAMPLE_ID,
    senderAddress: 'TSenderSenderSenderSenderSenderSen',
  },
  transaction: {
    approach: 'FullProcessing',
    hash: 'ab'.repeat(32),
    amount: 600,
    confirmations: 20,
    amlRiskGrade: 'Low',
  },
  fees: [],
};

const WITHDRAWAL = {
  type: 'Withdrawal',
  status: 'Failed',
  foreignId: EXAMPLE_ID,
  error: 'The network refused the payment.',
};

/** The bodies of callbacks, as examples. */
export const DEPOSIT_CALLBACK = { data: DEPOSIT };
export const WITHDRAWAL_CALLBACK = { data: WITHDRAWAL };

/** A signature that readers can recompute. */
const SIGNED = {
  secret: Buffer.from('example-deposit-provider-secret').toString('base64'),
  timestamp: '1772445600000',
  recvWindow: RECV_WINDOW_MS,
  method: 'POST',
  path: '/api/webhooks/crypto2b/deposit',
  body: JSON.stringify(DEPOSIT_CALLBACK),
};
const SIGNATURE = crypto2bSignature(SIGNED.secret, SIGNED);

export const DEPOSIT_PROVIDER_HEADERS: readonly HeaderDescription[] = [
  { name: 'X-Processing-Key', description: 'DEPOSIT_PROVIDER_KEY', example: 'sandbox-deposit-provider-key' },
  {
    name: 'X-Processing-Timestamp',
    description: 'Time of the signature, in milliseconds since 1970.',
    example: SIGNED.timestamp,
  },
  {
    name: 'X-Processing-RecvWindow',
    description: 'Milliseconds for which the signature is valid; 5000 by default, at most 60000.',
    example: SIGNED.recvWindow,
    optional: true,
  },
  {
    name: 'X-Processing-Signature',
    description:
      'base64(HMAC-SHA512(base64-decoded DEPOSIT_PROVIDER_SECRET, timestamp + recvWindow + METHOD + path with query + body)). ' +
      'The example is that of `x-signature-example` in docs/providers/deposit.json.',
    example: SIGNATURE,
  },
];

const DESCRIPTION = `What a deposit provider offers to the platform and sends to it. The platform's requests lead to DEPOSIT_PROVIDER_URL, the callbacks
to the address of the service. Both are signed in the same way: the header X-Processing-Signature is the base64 text of the HMAC-SHA512, with the
base64-decoded DEPOSIT_PROVIDER_SECRET as the key, of the timestamp, the window, the method in capitals, the path with its query as sent,
and the exact bytes of the body, one after the other without separators. The path is that of the whole URL: if DEPOSIT_PROVIDER_URL is
https://provider.example/v1, it begins with /v1. A receiver without X-Processing-RecvWindow assumes 5000, also in the signed text; it refuses a timestamp
that differs from its clock by more than the window. \`x-signature-example\` is an example to recompute.

Each request of the platform has a time-out of ${TIMEOUT_MS} ms. A read that fails, by an error, a status other than 2xx and 404, or an invalid answer, is made ${READ_ATTEMPTS}
times, ${RETRY_DELAY_MS} ms apart; the request for an address once. The platform follows no redirects and reads at most ${MAX_ANSWER_BYTES} bytes of an answer. It ignores
fields that this document does not name. Lost callbacks are made up for: the platform reads the list regularly.`;

const SIGNATURE_PARAMETERS = DEPOSIT_PROVIDER_HEADERS.map(({ name }) => ({
  $ref: `#/components/parameters/${name}`,
}));
const REFUSALS = {
  401: { description: 'The signature is wrong. The platform takes it as a failure.' },
  '5XX': { description: 'A failure: the request of a user is answered with CRYPTO2B_API_ERROR (503).' },
};

const PATHS = {
  '/deposits/addresses': {
    post: {
      operationId: 'createAddress',
      summary: 'An address for the deposits of a user',
      description:
        'The platform stores the address and asks once for each user, currency and network. After a time-out it asks again, so that the same request ' +
        'is answered with the same address or with a new one; both have to reach the user named by `foreignId`.',
      parameters: SIGNATURE_PARAMETERS,
      requestBody: jsonBody(messageRef('AddressRequest'), {
        currencyShortName: 'USDT',
        transportProtocol: 'trc20',
        foreignId: EXAMPLE_ID,
      }),
      responses: { 200: jsonAnswer('The address.', messageRef('AddressMessage')), ...REFUSALS },
    },
  },
  '/deposits/list': {
    get: {
      operationId: 'listDeposits',
      summary: 'A page of all deposits, newest first',
      parameters: [...SIGNATURE_PARAMETERS, queryNumber('offset', 0), queryNumber('limit', 100)],
      responses: {
        200: jsonAnswer('The deposits. An invalid one is left out.', messageRef('DepositListMessage')),
        ...REFUSALS,
      },
    },
  },
  '/deposits/{id}': {
    get: {
      operationId: 'getDeposit',
      summary: 'One deposit',
      parameters: [
        ...SIGNATURE_PARAMETERS,
        {
          name: 'id',
          in: 'path',
          description: 'that of the callbacks and of the list',
          required: true,
          schema: { type: 'string' },
          example: '1000001',
        },
      ],
      responses: {
        200: jsonAnswer('The deposit in its present state.', messageRef('DepositMessage')),
        404: { description: 'There is no such deposit.' },
        ...REFUSALS,
      },
    },
  },
};

function queryNumber(name: string, example: number) {
  return {
    name,
    in: 'query',
    required: true,
    description: name === 'limit' ? 'at most 100' : 'number of newer deposits to skip',
    schema: { type: 'integer', minimum: 0 },
    example,
  };
}

const WEBHOOKS = {
  deposit: callbackOf({
    operationId: 'reportDeposit',
    summary: 'The state of a deposit',
    path: `${PATH}/deposit`,
    description:
      'Send one when the deposit is seen, when its confirmations grow and when its state is final. Repetitions have the same id, status and confirmations. ' +
      'A success is credited when the transaction has the confirmations that its network needs.',
    headers: DEPOSIT_PROVIDER_HEADERS,
    schema: { type: 'object', required: ['data'], properties: { data: messageRef('DepositMessage') } },
    example: DEPOSIT_CALLBACK,
  }),
  withdrawal: callbackOf({
    operationId: 'reportWithdrawal',
    summary: 'The result of a withdrawal',
    path: `${PATH}/withdrawal`,
    description:
      'One of `foreignId`, `address.foreignId` and `paymentOrderId` is required: the id of the withdrawal on the platform.',
    headers: DEPOSIT_PROVIDER_HEADERS,
    schema: { type: 'object', required: ['data'], properties: { data: messageRef('WithdrawalMessage') } },
    example: WITHDRAWAL_CALLBACK,
  }),
};

const ADDRESS_REQUEST = {
  type: 'object',
  required: ['currencyShortName', 'transportProtocol', 'foreignId'],
  additionalProperties: false,
  properties: {
    currencyShortName: {
      type: 'string',
      enum: ['USDC', 'USDT'],
      description: 'the currency of the deposits',
    },
    transportProtocol: { type: 'string', enum: ['erc20', 'bep20', 'trc20'], description: 'the network' },
    foreignId: { type: 'string', format: 'uuid', description: 'the id of the user on the platform' },
  },
};

export function depositDocument(schemas: Record<string, Schema>, version: string): object {
  const parameters = Object.fromEntries(
    DEPOSIT_PROVIDER_HEADERS.map((header) => [header.name, headerParameter(header)]),
  );
  return {
    openapi: '3.1.0',
    info: infoOf('deposit provider', version, DESCRIPTION),
    servers: [{ url: 'https://provider.example', description: 'DEPOSIT_PROVIDER_URL' }],
    security: [],
    'x-timeout-ms': TIMEOUT_MS,
    'x-signature-example': { ...SIGNED, signature: SIGNATURE },
    paths: PATHS,
    webhooks: WEBHOOKS,
    components: { parameters, schemas: { AddressRequest: ADDRESS_REQUEST, ...schemas } },
  };
}
