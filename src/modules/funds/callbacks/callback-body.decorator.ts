import { applyDecorators } from '@nestjs/common';
import { ApiBody, ApiHeader } from '@nestjs/swagger';
import { CUSTODY_PROVIDER_HEADERS, YIELD_CALLBACK } from './domain/custody-document.js';
import {
  DEPOSIT_CALLBACK,
  DEPOSIT_PROVIDER_HEADERS,
  WITHDRAWAL_CALLBACK,
} from './domain/deposit-document.js';
import type { HeaderDescription } from './domain/provider-document-parts.js';

// Documents the callbacks in the OpenAPI document; docs/providers describes them in detail. The signature covers the exact bytes
// of the body, so that the routes have no request classes.

/** Documents a signed callback with one example. Other fields are allowed and ignored. */
function signedBody(
  headers: readonly HeaderDescription[],
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
    DEPOSIT_CALLBACK,
  );

export const WithdrawalBody = () =>
  signedBody(
    DEPOSIT_PROVIDER_HEADERS,
    'The result of a withdrawal. Only `Failed` and `Rejected` change its state. `foreignId`, or else ' +
      '`paymentOrderId`, is the id of the withdrawal.',
    WITHDRAWAL_CALLBACK,
  );

export const YieldBody = () =>
  signedBody(
    CUSTODY_PROVIDER_HEADERS,
    'The yearly rate that a strategy achieved on a day, and optionally the amount in USDC (`realisedAmount`). Both are text. A rate or an amount beyond the tolerance waits for an admin.',
    YIELD_CALLBACK,
  );
