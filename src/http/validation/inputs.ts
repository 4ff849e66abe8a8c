import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Transform, Type } from 'class-transformer';
import {
  IsIn,
  IsInt,
  IsObject,
  IsOptional,
  Matches,
  Max,
  Min,
  ValidateBy,
  ValidateIf,
  ValidateNested,
} from 'class-validator';
import { isDay, isWithinCalendar } from '../../kernel/days.js';
import type { ErrorCode } from '../../kernel/errors/error-catalogue.js';
import { Money } from '../../kernel/money.js';
import { rememberInputClass } from '../openapi/defaults.js';
import { refusedAs } from './refusal.js';

// Fields of requests, by what they mean. Each carries its check, its refusal and its documentation.

interface InputOptions {
  /** May be absent, or null, which means the same. `never-null`: null is refused. */
  optional?: boolean | 'never-null';
  /** Code of a malformed value, where the endpoint has one of its own. */
  code?: ErrorCode;
  description?: string;
  example?: unknown;
}

function input(
  schema: object,
  { optional, description, example }: InputOptions,
  ...checks: PropertyDecorator[]
) {
  const facts = {
    ...schema,
    ...(description ? { description } : {}),
    ...(example === undefined ? {} : { example }),
  };
  return applyDecorators(
    rememberInputClass,
    optional ? ApiPropertyOptional(facts) : ApiProperty(facts),
    ...(optional ? [optional === 'never-null' ? IfPresent() : IsOptional()] : []),
    ...checks,
  );
}

const IfPresent = () => ValidateIf((_, value) => value !== undefined);

/** Decimal string, kept as text: take it with `Money.of`. */
export function MoneyInput(options: InputOptions = {}): PropertyDecorator {
  const message = 'must be a decimal string such as "10.00", with at most six decimals';
  const schema = { type: 'string', pattern: '^(0|[1-9]\\d{0,17})(\\.\\d{1,6})?$', example: '100.00' };
  return input(
    schema,
    options,
    ValidateBy(
      { name: 'isMoney', validator: { validate: (value) => Money.parse(value) !== undefined } },
      refusedAs(options.code, message),
    ),
  );
}

export function TextInput(
  options: InputOptions & { maxLength?: number; minLength?: number; notBlank?: boolean } = {},
): PropertyDecorator {
  const { minLength = 1, maxLength = 500, notBlank = false } = options;
  const fits = (value: unknown) =>
    typeof value === 'string' &&
    value.length >= minLength &&
    value.length <= maxLength &&
    !(notBlank && value.trim() === '');
  return input(
    { type: 'string', minLength, maxLength },
    options,
    ValidateBy(
      { name: 'isText', validator: { validate: fits } },
      refusedAs(options.code, `must be text of ${minLength} to ${maxLength} characters`),
    ),
  );
}

export function PatternInput(
  pattern: RegExp,
  message: string,
  options: InputOptions = {},
): PropertyDecorator {
  return input(
    { type: 'string', pattern: pattern.source },
    options,
    Matches(pattern, refusedAs(options.code, message)),
  );
}

export const WalletAddressInput = (options: InputOptions = {}) =>
  PatternInput(/^0x[0-9a-fA-F]{40}$/, 'must be 0x and 40 hex digits', {
    example: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
    ...options,
  });

/** The hash of a transfer as an operator enters it. */
export const TransferHashInput = (options: InputOptions = {}) =>
  PatternInput(/^(?=.*\S).{1,200}$/, 'must be the hash of the transfer, at most 200 characters', {
    description: 'any text is taken; a hash of the configured chain is compared with it',
    example: '0x8f1c9c0e4bd1e0b3a0a4b0c8f3f1d2e6a7b5c4d3e2f1a0b9c8d7e6f5a4b3c2d1',
    ...options,
  });

export const UuidInput = (options: InputOptions = {}) =>
  PatternInput(
    /^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[1-8][0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}$/,
    'must be a UUID',
    options,
  );

/** One of a few words; what else is given is 400 VALIDATION_ERROR unless `code` says otherwise. */
export function ChoiceInput(choices: readonly string[], options: InputOptions = {}): PropertyDecorator {
  return input(
    { type: 'string', enum: [...choices] },
    options,
    IsIn([...choices], refusedAs(options.code, `must be one of ${choices.join(', ')}`)),
  );
}

/** Means no filter: the same as leaving the parameter out. */
export const ALL = 'all';

/** A filter of a list by one of a few words; `all` selects everything, as no filter does. */
export function FilterInput(choices: readonly string[], options: InputOptions = {}): PropertyDecorator {
  return input(
    { type: 'string', enum: [...choices, ALL] },
    { ...options, optional: true },
    Transform(({ value }: { value: unknown }) => (value === ALL ? undefined : value)),
    IsIn([...choices], refusedAs(options.code, `must be one of ${[...choices, ALL].join(', ')}`)),
  );
}

/** `true` or `false` in a body. */
export function FlagInput(options: InputOptions = {}): PropertyDecorator {
  return input(
    { type: 'boolean' },
    options,
    IsIn([true, false], refusedAs(options.code, 'must be true or false')),
  );
}

/** An object with fields of its own. */
export function NestedInput(dto: () => new () => object, options: InputOptions = {}): PropertyDecorator {
  return input(
    { type: () => dto() },
    options,
    Type(dto),
    IsObject(refusedAs(options.code, 'must be an object')),
    ValidateNested({ message: 'must be an object with known fields' }),
  );
}

/** `true` or `false` in a query. */
export function FlagQuery(options: InputOptions = {}): PropertyDecorator {
  const words: Record<string, boolean> = { true: true, false: false };
  return input(
    { type: 'boolean' },
    { ...options, optional: true },
    Transform(({ value }: { value: unknown }) =>
      typeof value === 'string' ? (words[value] ?? value) : value,
    ),
    IsIn([true, false], refusedAs(options.code, 'must be true or false')),
  );
}

/** A whole number in a query, within bounds. */
export function IntegerQuery(
  minimum: number,
  maximum: number,
  options: InputOptions = {},
): PropertyDecorator {
  const message = `must be a whole number from ${minimum} to ${maximum}`;
  return input(
    { type: 'integer', minimum, maximum },
    { ...options, optional: true },
    Transform(({ value }: { value: unknown }) => wholeNumber(value)),
    IsInt(refusedAs(options.code, message)),
    Min(minimum, refusedAs(options.code, message)),
    Max(maximum, refusedAs(options.code, message)),
  );
}

/** One of a few whole numbers in a query. */
export function WholeChoiceQuery(choices: readonly number[], options: InputOptions = {}): PropertyDecorator {
  return input(
    { type: 'integer', enum: [...choices] },
    { ...options, optional: true },
    Transform(({ value }: { value: unknown }) => wholeNumber(value)),
    IsIn([...choices], refusedAs(options.code, `must be one of ${choices.join(', ')}`)),
  );
}

function wholeNumber(value: unknown): unknown {
  if (value === undefined || typeof value === 'number') return value;
  return typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : Number.NaN;
}

const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})$/;

/** ISO 8601 with a time zone, or a date alone, which means the UTC day; from 1970 to 9999, in UTC. */
export function isDate(value: unknown): boolean {
  return (
    typeof value === 'string' &&
    isDay(value.slice(0, 10)) &&
    (value.length === 10 || INSTANT.test(value)) &&
    isWithinCalendar(new Date(value))
  );
}

/** Completes "must be". */
export const DATE_RULE = 'a date from 1970 to 9999 such as 2026-01-31 or 2026-01-31T12:00:00Z';

export function DateInput(options: InputOptions = {}): PropertyDecorator {
  return input(
    { type: 'string', example: '2026-01-31' },
    options,
    ValidateBy(
      { name: 'isDate', validator: { validate: isDate } },
      refusedAs(options.code, `must be ${DATE_RULE}`),
    ),
  );
}
