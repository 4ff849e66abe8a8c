import { createHmac } from 'node:crypto';
import { LosslessNumber, parse } from 'lossless-json';
import { isWithinCalendar } from '../../../common/days.js';
import { Money } from '../../../common/money.js';
import type { ProviderDeposit } from './provider-report.js';

// Messages and signatures of the deposit provider. Its amounts are JSON numbers: they are parsed by their digits and
// never become a float.

type Fields = Record<string, unknown>;

const AMOUNT = /^\d{1,18}(\.\d{1,18})?([eE][+-]?\d{1,2})?$/;
const MAX_AMOUNT = Money.of('1000000000000000000');
const MAX_DECIMALS = 18; // those of ETH; the column `amount` admits no more
const MAX_TEXT_LENGTH = 200;
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?(Z|[+-]\d{2}:\d{2})$/;

/** Parses JSON and keeps the digits of its numbers; undefined if the text is not JSON. */
export function parseMessage(text: string): unknown {
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}

/** The fields of a JSON object; none for any other JSON value. */
export function fieldsOf(json: unknown): Fields {
  const isObject = typeof json === 'object' && json !== null && !Array.isArray(json);
  return isObject && !(json instanceof LosslessNumber) ? (json as Fields) : {};
}

/** PostgreSQL stores neither of them: NUL, and surrogates without the other half of their pair. */
const NOT_STORABLE = /[\0\p{Cs}]/u;

/** Text of 1 to 200 characters, or the digits of a number; undefined for any other value. */
export function textOf(json: unknown): string | undefined {
  const text = json instanceof LosslessNumber ? json.value : json;
  if (typeof text !== 'string' || text.length === 0 || text.length > MAX_TEXT_LENGTH) return undefined;
  return NOT_STORABLE.test(text) ? undefined : text;
}

function amountOf(json: unknown): Money | undefined {
  const digits = textOf(json);
  if (digits === undefined || !AMOUNT.test(digits)) return undefined;
  const amount = Money.of(digits);
  const fitsColumn = amount.equals(amount.roundDown(MAX_DECIMALS));
  return amount.isPositive() && fitsColumn && !amount.isMoreThan(MAX_AMOUNT) ? amount : undefined;
}

/** Zero if the field is missing or null; undefined if it is invalid. */
function confirmationsOf(json: unknown): number | undefined {
  if (json === null || json === undefined) return 0;
  const digits = textOf(json);
  return digits !== undefined && /^\d{1,9}$/.test(digits) ? Number(digits) : undefined;
}

function instantOf(json: unknown): Date | null {
  const text = textOf(json);
  const instant = text !== undefined && INSTANT.test(text) ? new Date(text) : undefined;
  return instant && isWithinCalendar(instant) ? instant : null;
}

/** Reads a deposit from a callback's `data` or an item of the provider's list; undefined if a required field is invalid. */
export function readDeposit(data: unknown): ProviderDeposit | undefined {
  const message = fieldsOf(data);
  const instrument = fieldsOf(message.instrument);
  const address = fieldsOf(message.address);
  const transaction = fieldsOf(message.transaction);
  const requiredFields = {
    id: textOf(message.id),
    status: textOf(message.status),
    currency: textOf(instrument.currencyShortName)?.toUpperCase(),
    network: textOf(instrument.transportProtocol)?.toUpperCase(),
    address: textOf(address.address),
    amount: amountOf(transaction.amount),
    confirmations: confirmationsOf(transaction.confirmations),
  };
  if (message.type !== 'Deposit' || Object.values(requiredFields).includes(undefined)) return undefined;
  return {
    ...(requiredFields as {
      [Name in keyof typeof requiredFields]: NonNullable<(typeof requiredFields)[Name]>;
    }),
    senderAddress: textOf(address.senderAddress) ?? null,
    hash: textOf(transaction.hash) ?? null,
    error: textOf(message.error) ?? null,
    date: instantOf(message.date),
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
