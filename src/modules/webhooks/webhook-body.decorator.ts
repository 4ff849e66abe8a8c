import { applyDecorators } from '@nestjs/common';
import { ApiBody, ApiHeader } from '@nestjs/swagger';

// Documents the callbacks in the OpenAPI document. There are no request classes for them, because the signature covers
// the exact bytes of the body.

interface SignatureHeader {
  name: string;
  description: string;
  example: string;
  optional?: boolean;
}

const DEPOSIT_PROVIDER_HEADERS: SignatureHeader[] = [
  { name: 'X-Processing-Key', description: 'DEPOSIT_PROVIDER_KEY', example: 'sandbox-deposit-provider-key' },
  {
    name: 'X-Processing-Timestamp',
    description: 'Time of the signature, in milliseconds since 1970.',
    example: '1772445600000',
  },
  {
    name: 'X-Processing-RecvWindow',
    description: 'Milliseconds for which the signature is valid; 5000 by default, at most 60000.',
    example: '5000',
    optional: true,
  },
  {
    name: 'X-Processing-Signature',
    description:
      'base64(HMAC-SHA512(base64-decoded DEPOSIT_PROVIDER_SECRET, timestamp + recvWindow + METHOD + path with query + body)).',
    example: 'AAAA=',
  },
];

const STANDARD_WEBHOOKS_HEADERS: SignatureHeader[] = [
  {
    name: 'webhook-id',
    description: 'Id of the message; a repetition has the same id.',
    example: 'msg_1',
  },
  {
    name: 'webhook-timestamp',
    description: 'Time of the signature, in seconds since 1970.',
    example: '1772445600',
  },
  {
    name: 'webhook-signature',
    description:
      '`v1,` and base64 of the HMAC-SHA256 of id.timestamp.body with CUSTODY_WEBHOOK_SECRET, according to Standard Webhooks.',
    example: 'v1,AAAA=',
  },
];

const DATA_OF_DEPOSIT = {
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
    foreignId: '0198b2f0-5f0e-7cc0-8d6a-0d9f2f6f3b11',
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

const DATA_OF_WITHDRAWAL = {
  type: 'Withdrawal',
  status: 'Failed',
  foreignId: '0198b2f0-5f0e-7cc0-8d6a-0d9f2f6f3b11',
  error: 'The network refused the payment.',
};

const DATA_OF_YIELD = {
  strategyId: 'balanced-10',
  day: '2026-03-01',
  apy: '10.2',
  realisedAmount: '27.95',
};

/** Documents a signed callback with one example. Other fields are allowed and ignored. */
function signedBody(
  headers: SignatureHeader[],
  description: string,
  example: Record<string, unknown>,
): MethodDecorator {
  return applyDecorators(
    ...headers.map(({ name, description: meaning, example: value, optional }) =>
      ApiHeader({
        name,
        description: meaning,
        required: !optional,
        schema: { type: 'string', example: value },
      }),
    ),
    ApiBody({
      description,
      required: true,
      schema: {
        type: 'object',
        additionalProperties: true,
        required: Object.keys(example),
        properties: Object.fromEntries(
          Object.entries(example).map(([name, value]) => [
            name,
            { type: typeof value as 'object' | 'string' },
          ]),
        ),
        example,
      },
    }),
  );
}

export const DepositBody = () =>
  signedBody(
    DEPOSIT_PROVIDER_HEADERS,
    'The state of a deposit at the provider. Amounts are JSON numbers and are read without loss.',
    { data: DATA_OF_DEPOSIT },
  );

export const WithdrawalBody = () =>
  signedBody(
    DEPOSIT_PROVIDER_HEADERS,
    'The result of a withdrawal. Only `Failed` and `Rejected` change its state. `foreignId`, or else ' +
      '`paymentOrderId`, is the id of the withdrawal.',
    { data: DATA_OF_WITHDRAWAL },
  );

export const YieldBody = () =>
  signedBody(
    STANDARD_WEBHOOKS_HEADERS,
    'The yearly rate that a strategy achieved on a day, and optionally the amount in USDC (`realisedAmount`). Both are text. A rate or an amount beyond the tolerance waits for an admin.',
    { type: 'yield.reported', data: DATA_OF_YIELD },
  );
