import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { Transform, Type } from 'class-transformer';
import {
  Allow,
  Equals,
  IsArray,
  IsDefined,
  IsInt,
  IsObject,
  IsOptional,
  IsString,
  ValidateNested,
} from 'class-validator';
import { parse } from 'lossless-json';
import { createHmac } from 'node:crypto';
import { isWithinCalendar } from '../../../../common/days.js';
import { Money } from '../../../../common/money.js';
import { readMessage } from '../../../../http/request/message-validation.js';
import type { ProviderDeposit } from './deposit-reports.js';

// The messages of the deposit provider, as `parseMessage` gives them: a number is the text of its digits. They are validated by
// `readMessage`, and docs/providers/deposit.json is generated from them. Fields that no class has are ignored.

const AMOUNT = /^\d{1,18}(\.\d{1,18})?([eE][+-]?\d{1,2})?$/;
const MAX_AMOUNT = Money.of('1000000000000000000');
const MAX_DECIMALS = 18; // those of ETH; the column `amount` admits no more
const MAX_TEXT_LENGTH = 200;
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?(Z|[+-]\d{2}:\d{2})$/;
/** PostgreSQL stores neither NUL nor a surrogate without the other half of its pair. */
const NOT_STORABLE = /[\0\p{Cs}]/u;

/** Text of 1 to 200 characters; undefined for any other value. */
export function textOf(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length === 0 || value.length > MAX_TEXT_LENGTH) return undefined;
  return NOT_STORABLE.test(value) ? undefined : value;
}

function amountOf(value: unknown): Money | undefined {
  const digits = textOf(value);
  if (digits === undefined || !AMOUNT.test(digits)) return undefined;
  const amount = Money.of(digits);
  const fitsColumn = amount.equals(amount.roundDown(MAX_DECIMALS));
  return fitsColumn && !amount.isMoreThan(MAX_AMOUNT) ? amount : undefined;
}

function confirmationsOf(value: unknown): number | undefined {
  if (value === null) return 0;
  const digits = textOf(value);
  return digits !== undefined && /^\d{1,9}$/.test(digits) ? Number(digits) : undefined;
}

function instantOf(value: unknown): Date | null {
  const text = textOf(value);
  const instant = text !== undefined && INSTANT.test(text) ? new Date(text) : undefined;
  return instant && isWithinCalendar(instant) ? instant : null;
}

const LENGTH = { minLength: 1, maxLength: MAX_TEXT_LENGTH };

const RequiredText = (description: string, example: string) =>
  applyDecorators(
    ApiProperty({ type: 'string', ...LENGTH, description, example }),
    Transform(({ value }) => textOf(value)),
    IsString(),
  );

/** An id, which may also be a number. */
const Id = (description: string) =>
  applyDecorators(
    ApiProperty({
      oneOf: [{ type: 'string', ...LENGTH }, { type: 'number' }],
      description,
      example: 1_000_001,
    }),
    Transform(({ value }) => textOf(value)),
    IsString(),
  );

/** An invalid value counts as none: the message is worth more than this field. */
const LenientText = (description: string, example: string) =>
  applyDecorators(
    ApiProperty({ type: 'string', nullable: true, required: false, description, example }),
    Transform(({ value }) => textOf(value) ?? null),
    IsOptional(),
  );

const Part = (part: () => new () => object) => applyDecorators(IsObject(), ValidateNested(), Type(part));

const OptionalPart = (part: () => new () => object) =>
  applyDecorators(
    ApiProperty({ nullable: true, required: false }),
    Transform(({ value }): unknown => (typeof value === 'object' && !Array.isArray(value) ? value : null)),
    IsOptional(),
    ValidateNested(),
    Type(part),
  );

const WITHDRAWAL_ID = '0198b2f0-5f0e-7cc0-8d6a-0d9f2f6f3b11';

/** The answer to the request for an address. */
export class AddressMessage {
  @Id("the provider's id of the address") id!: string;
  @RequiredText('in the form of its network', 'TXYZopYRdj2D9XRtbG411XZZ3kM5VkAeBf') address!: string;
}

export class InstrumentMessage {
  @RequiredText('in any letter case, as is transportProtocol', 'USDT') currencyShortName!: string;
  @RequiredText('erc20, bep20 or trc20; deposits over another network are ignored', 'trc20')
  transportProtocol!: string;
}

export class DepositAddressMessage {
  @RequiredText('that of the answer to POST /deposits/addresses', 'TXYZopYRdj2D9XRtbG411XZZ3kM5VkAeBf')
  address!: string;
  @LenientText('the sender on the chain', 'TSenderSenderSenderSenderSenderSen') senderAddress?: string | null;
}

export class DepositTransactionMessage {
  @LenientText('null while there is no transaction; such a report changes nothing', 'ab'.repeat(32))
  hash?: string | null;

  @ApiProperty({
    type: 'number', // Nest leaves it out beside `oneOf`; without it, Nest would add a schema of the class Money
    oneOf: [
      { type: 'number', minimum: 0, maximum: 1e18 },
      { type: 'string', pattern: AMOUNT.source },
    ],
    description: `a JSON number or text with at most ${MAX_DECIMALS} decimals; its digits are read without a float`,
    example: 600,
  })
  @Transform(({ value }) => amountOf(value))
  @IsDefined()
  amount!: Money;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    required: false,
    minimum: 0,
    maximum: 999_999_999,
    description: 'null counts as 0',
    example: 20,
  })
  @Transform(({ value }) => confirmationsOf(value))
  @IsInt()
  confirmations = 0;
}

/** A deposit: `data` of a callback, and an item of the list. */
export class DepositMessage {
  @ApiProperty({ type: 'string', enum: ['Deposit'] })
  @Equals('Deposit')
  type!: string;

  @Id("the provider's id of the deposit: the same in every report about it") id!: string;
  @RequiredText(
    'Pending, Processing, Success, Failed or Rejected; a report with another status is stored and changes nothing',
    'Success',
  )
  status!: string;

  @ApiProperty({
    type: 'string',
    nullable: true,
    required: false,
    description: 'when the provider recorded the deposit, in ISO 8601 with its offset',
    example: '2026-03-02T10:00:00.000Z',
  })
  @Transform(({ value }) => instantOf(value))
  @IsOptional()
  date?: Date | null;

  @LenientText('why the deposit failed', 'The transaction was reverted.') error?: string | null;
  @Part(() => InstrumentMessage) instrument!: InstrumentMessage;
  @Part(() => DepositAddressMessage) address!: DepositAddressMessage;
  @Part(() => DepositTransactionMessage) transaction!: DepositTransactionMessage;
}

/** A page of the list of deposits, newest first. Each item is validated apart, so that an invalid one does not fail the page. */
export class DepositListMessage {
  @ApiProperty({
    type: 'array',
    items: { $ref: '#/components/schemas/DepositMessage' },
    description: 'at most `limit` items; fewer are the last page',
  })
  @IsArray()
  items!: unknown[];
}

export class WithdrawalAddressMessage {
  @LenientText('the id of the withdrawal, if `foreignId` is absent', WITHDRAWAL_ID) foreignId?: string | null;
}

export class WithdrawalTransactionMessage {
  @LenientText('of the payment', `0x${'ab'.repeat(32)}`) hash?: string | null;
}

/** The result of a withdrawal: `data` of a callback. Its id is `foreignId`, `address.foreignId` or `paymentOrderId`. */
export class WithdrawalMessage {
  @ApiProperty({ type: 'string', enum: ['Withdrawal'] })
  @Equals('Withdrawal')
  type!: string;

  @RequiredText(
    'Failed and Rejected mark the withdrawal failed; Success only reports a payment that the platform has not recorded; others change nothing',
    'Failed',
  )
  status!: string;

  @LenientText('the id of the withdrawal on the platform', WITHDRAWAL_ID) foreignId?: string | null;
  @LenientText('the id of the withdrawal, if `foreignId` is absent', WITHDRAWAL_ID) paymentOrderId?:
    string | null;

  @ApiProperty({
    type: 'string',
    nullable: true,
    required: false,
    description: 'why the withdrawal failed; operators read its first 500 characters',
    example: 'The network refused the payment.',
  })
  @Allow()
  error?: unknown;

  @OptionalPart(() => WithdrawalAddressMessage) address?: WithdrawalAddressMessage;
  @OptionalPart(() => WithdrawalTransactionMessage) transaction?: WithdrawalTransactionMessage;

  get withdrawalId(): string | null {
    return this.foreignId ?? this.address?.foreignId ?? this.paymentOrderId ?? null;
  }
}

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
