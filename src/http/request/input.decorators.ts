import { applyDecorators } from '@nestjs/common';
import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import {
  IsIn,
  IsInt,
  IsOptional,
  Matches,
  Max,
  Min,
  ValidateBy,
  ValidateIf,
  type IsUUID,
  type ValidationOptions,
} from 'class-validator';
import { isDay, isWithinCalendar } from '../../common/days.js';
import { canonicalEmail } from '../../common/email.js';
import type { ErrorCode } from '../../common/errors/error-catalogue.js';
import { Money, MONEY_INPUT } from '../../common/money.js';

// Validators with their own message, code or documentation. Request classes use class-validator's decorators for all other
// rules; `src/http/openapi/request-fields.ts` documents those.

/** The error code of a validator, which class-validator stores as the context of its errors. */
export interface ValidatorContext {
  code: ErrorCode;
}

/** Options of a validator with its error code, VALIDATION_ERROR by default, and its message, class-validator's by default. */
export function refusedAs(
  code: ErrorCode | undefined,
  message?: NonNullable<ValidationOptions['message']>,
): ValidationOptions {
  return {
    ...(message === undefined ? {} : { message }),
    ...(code === undefined ? {} : { context: { code } satisfies ValidatorContext }),
  };
}

interface InputOptions {
  /** The field may be absent or null, which means the same. With `never-null`, null is refused. */
  optional?: boolean | 'never-null';
  /** Code for a malformed value; VALIDATION_ERROR by default. */
  code?: ErrorCode;
  description?: string;
  example?: unknown;
}

function input(
  schema: ApiPropertyOptions,
  { optional, description, example }: InputOptions,
  ...validators: PropertyDecorator[]
): PropertyDecorator {
  const documentation = {
    ...schema,
    ...(description === undefined ? {} : { description }),
    ...(example === undefined ? {} : { example }),
  } as ApiPropertyOptions;
  return applyDecorators(
    ApiProperty(documentation),
    ...(optional ? [optional === 'never-null' ? IfPresent() : IsOptional()] : []),
    ...validators,
  );
}

/** The field may be absent, but not null. */
export const IfPresent = () =>
  applyDecorators(
    ApiProperty({ required: false }),
    ValidateIf((_, value) => value !== undefined),
  );

/** Every version of RFC 9562. This excludes the nil UUID, which is the id of the platform itself. */
export const UUID_VERSIONS: Parameters<typeof IsUUID>[0] = ['1', '2', '3', '4', '5', '6', '7', '8'];

/**
 * Text with a number of Unicode characters within these limits, counted as OpenAPI's `minLength` and `maxLength` are.
 * class-validator's `Length` does not count variation selectors and so accepts longer texts.
 */
export function TextLength(minLength: number, maxLength: number, code?: ErrorCode): PropertyDecorator {
  const validate = (value: unknown) => {
    if (typeof value !== 'string') return false;
    const length = characterCount(value);
    return length >= minLength && length <= maxLength;
  };
  return ValidateBy(
    { name: 'isLength', constraints: [minLength, maxLength], validator: { validate } },
    refusedAs(code, `must be text of ${minLength} to ${maxLength} characters`),
  );
}

function characterCount(text: string): number {
  return text.length - (text.match(/[\ud800-\udbff][\udc00-\udfff]/g)?.length ?? 0);
}

/**
 * Control characters, line separators and bidirectional controls, which can disguise a text. The OpenAPI document contains the
 * patterns, and some of its readers do not know `\p{…}`.
 */
const HIDDEN = '\\u0000-\\u001f\\u007f-\\u009f\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069';
const LINE_CHARACTER = `[^${HIDDEN}]`;
/** A character of a name without spaces. */
export const NAME_CHARACTER = `[^\\s${HIDDEN}]`;

interface LineOptions extends Pick<InputOptions, 'description' | 'example'> {
  maxLength?: number;
  /** The text must not begin or end with a space. */
  isTrimmed?: boolean;
}

/** A name, title or label: text on one line. */
export function LineInput({
  maxLength = 100,
  isTrimmed = false,
  ...documentation
}: LineOptions): PropertyDecorator {
  const line = `${LINE_CHARACTER}{1,${maxLength}}`;
  const pattern = isTrimmed ? `^(?!\\s)${line}(?<!\\s)$` : `^${line}$`;
  const message = `must be 1 to ${maxLength} characters on one line, without control characters`;
  return input(
    {},
    documentation,
    Matches(new RegExp(pattern, 'u'), { message: isTrimmed ? `${message} or spaces around them` : message }),
  );
}

/** Decimal string, kept as text; `Money.of` converts it. */
export function MoneyInput(options: InputOptions = {}): PropertyDecorator {
  const message = 'must be a decimal string such as "10.00", with at most six decimals';
  return input(
    { type: 'string', pattern: MONEY_INPUT.source, example: '100.00' },
    options,
    ValidateBy(
      { name: 'isMoney', validator: { validate: (value) => Money.parse(value) !== undefined } },
      refusedAs(options.code, message),
    ),
  );
}

/** Does not use `IsEthereumAddress`, which accepts addresses that begin with 0X. */
export const WalletAddressInput = (options: InputOptions = {}) =>
  input(
    { example: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8' },
    options,
    Matches(/^0x[0-9a-fA-F]{40}$/, refusedAs(options.code, 'must be 0x and 40 hex digits')),
  );

/** 64 hex digits with or without 0x, and spaces around them, which copied text often has. */
const TRANSFER_HASH = /^\s*(0x)?[0-9a-fA-F]{64}\s*$/;

/** True also for other values than text and for blank text, which another rule refuses with another code. */
const isBlankOrHash = (value: unknown) =>
  typeof value !== 'string' || value.trim() === '' || TRANSFER_HASH.test(value);

/** The hash of a transfer that an operator enters. It is stored in lower case and with 0x. */
export const TransferHashInput = (options: InputOptions = {}) =>
  input(
    {
      type: 'string',
      pattern: TRANSFER_HASH.source,
      description:
        'the hash of the transfer: 64 hex digits with or without 0x; it is compared with the chain',
      example: '0x8f1c9c0e4bd1e0b3a0a4b0c8f3f1d2e6a7b5c4d3e2f1a0b9c8d7e6f5a4b3c2d1',
    },
    options,
    Matches(/\S/, refusedAs(options.code, 'must be the hash of the transfer')),
    ValidateBy(
      { name: 'isTransferHash', validator: { validate: isBlankOrHash } },
      refusedAs('INVALID_TX_HASH', 'must be 64 hex digits, with or without 0x'),
    ),
  );

/** The value of a filter that selects all items, as an absent filter does. */
export const ALL = 'all';

/** A list filter that accepts one of the choices, or `all`. */
export function FilterInput(choices: readonly string[], options: InputOptions = {}): PropertyDecorator {
  return input(
    { type: 'string', enum: [...choices, ALL], description: 'all when absent' },
    { ...options, optional: true },
    Transform(({ value }: { value: unknown }) => (value === ALL ? undefined : value)),
    IsIn(choices, refusedAs(options.code, `must be one of ${[...choices, ALL].join(', ')}`)),
  );
}

const FLAGS: Record<string, boolean> = { true: true, false: false };

/** Converts `true` and `false` of a query; `IsBoolean` refuses any other text. */
export const BooleanFromText = () =>
  Transform(({ value }: { value: unknown }) =>
    typeof value === 'string' && Object.hasOwn(FLAGS, value) ? FLAGS[value] : value,
  );

/** Converts up to nine digits of a query; other texts, such as 1e2 or 0x10, become NaN, which the validators refuse. */
export const NumberFromText = () =>
  Transform(({ value }: { value: unknown }) => {
    if (value === undefined || typeof value === 'number') return value;
    return typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : Number.NaN;
  });

/** An e-mail address, of which the handler gets the canonical spelling. */
export function EmailInput(description: string, code?: ErrorCode): PropertyDecorator {
  const faultOf = (value: unknown) =>
    typeof value === 'string' ? canonicalEmail(value).fault : 'must be an e-mail address';
  return applyDecorators(
    ApiProperty({ description, example: 'ann@example.org' }),
    Transform(({ value }: { value: unknown }) =>
      typeof value === 'string' ? (canonicalEmail(value).email ?? value) : value,
    ),
    ValidateBy(
      { name: 'isEmail', validator: { validate: (value) => faultOf(value) === undefined } },
      refusedAs(code, ({ value }) => faultOf(value) ?? ''),
    ),
  );
}

const LIST_FORMATS = ['json', 'csv'] as const;
export type ListFormat = (typeof LIST_FORMATS)[number];

export const ListFormatInput = () =>
  applyDecorators(
    ApiProperty({ description: 'csv: a file of all selected items; page and limit do not apply' }),
    IsOptional(),
    IsIn(LIST_FORMATS),
  );

export const MAX_PAGE_LIMIT = 100;
const MAX_PAGE = 100_000_000;

/** The query parameters `page` and `limit` of a list. */
export const PageNumber = (code: ErrorCode = 'INVALID_PAGINATION') =>
  pageInput(MAX_PAGE, { code, description: 'from 1' });
export const PageLimit = (code: ErrorCode = 'INVALID_PAGINATION') =>
  pageInput(MAX_PAGE_LIMIT, { code, description: `rows of a page, at most ${MAX_PAGE_LIMIT}` });

function pageInput(maximum: number, options: InputOptions): PropertyDecorator {
  const refused = refusedAs(options.code, `must be a whole number from 1 to ${maximum}`);
  return input(
    {},
    { ...options, optional: true },
    ValidateIf(({ format }: { format?: unknown }) => format !== 'csv'), // a file has no pages
    NumberFromText(),
    IsInt(refused),
    Min(1, refused),
    Max(maximum, refused),
  );
}

const DAY_LENGTH = 10;
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})$/;

/** True for an ISO 8601 time with a time zone, or a date alone, which means the UTC day; from 1970 to 9999, in UTC. */
export function isDate(value: unknown): boolean {
  return (
    typeof value === 'string' &&
    isDay(value.slice(0, DAY_LENGTH)) &&
    (value.length === DAY_LENGTH || INSTANT.test(value)) &&
    isWithinCalendar(new Date(value))
  );
}

const DAY_RULE = 'a date from 1970 to 9999 such as 2026-01-31';
/** The rest of a message that begins with "must be". */
export const DATE_RULE = `${DAY_RULE} or 2026-01-31T12:00:00Z`;

/** In OpenAPI: a day or an instant. */
export const DATE_SCHEMA: ApiPropertyOptions & Record<string, unknown> = {
  type: 'string',
  anyOf: [
    { type: 'string', format: 'date' },
    { type: 'string', format: 'date-time' },
  ],
  example: '2026-01-31',
};

/** A UTC day, without a time. */
export const DayInput = (options: InputOptions = {}) =>
  input(
    { type: 'string', format: 'date', example: '2026-01-31' },
    options,
    ValidateBy(
      {
        name: 'isDay',
        validator: { validate: (value) => isDate(value) && (value as string).length === DAY_LENGTH },
      },
      refusedAs(options.code, `must be ${DAY_RULE}`),
    ),
  );

export function DateInput(options: InputOptions = {}): PropertyDecorator {
  return input(
    DATE_SCHEMA,
    options,
    ValidateBy(
      { name: 'isDate', validator: { validate: isDate } },
      refusedAs(options.code, `must be ${DATE_RULE}`),
    ),
  );
}
