import { createHmac } from 'node:crypto';
import { parse } from 'lossless-json';
import { readMessage } from '../../../../http/request/message-validation.js';
import { DepositMessage } from './crypto2b-messages.js';
import type { ProviderDeposit } from './provider-report.js';

/** Parses JSON; a number becomes the text of its digits, so that no amount becomes a float. Undefined if the text is not JSON. */
export function parseMessage(text: string): unknown {
  try {
    return parse(text, null, (digits) => digits);
  } catch {
    return undefined;
  }
}

/** The fields of a JSON object; none for any other JSON value. */
export function fieldsOf(json: unknown): Record<string, unknown> {
  const isObject = typeof json === 'object' && json !== null && !Array.isArray(json);
  return isObject ? (json as Record<string, unknown>) : {};
}

/** Reads a deposit from a callback's `data` or an item of the provider's list; undefined if a required field is invalid. */
export function readDeposit(data: unknown): ProviderDeposit | undefined {
  const message = readMessage(DepositMessage, data);
  if (!message) return undefined;
  const { id, status, error = null, date = null, instrument, address, transaction } = message;
  return {
    id,
    status,
    error,
    date,
    currency: instrument.currencyShortName.toUpperCase(),
    network: instrument.transportProtocol.toUpperCase(),
    address: address.address,
    senderAddress: address.senderAddress ?? null,
    hash: transaction.hash ?? null,
    amount: transaction.amount,
    confirmations: transaction.confirmations,
  };
}

/** The signed parts of a request. `path` includes the query as sent; `body` contains the exact bytes. */
export interface SignedParts {
  readonly timestamp: string;
  readonly recvWindow: string;
  readonly method: string;
  readonly path: string;
  readonly body: Buffer | string;
}

/** base64(HMAC-SHA512(base64-decoded secret, timestamp + recvWindow + METHOD + path-and-query + body)). */
export function crypto2bSignature(secret: string, parts: SignedParts): string {
  return createHmac('sha512', Buffer.from(secret, 'base64'))
    .update(parts.timestamp + parts.recvWindow + parts.method + parts.path)
    .update(parts.body)
    .digest('base64');
}
