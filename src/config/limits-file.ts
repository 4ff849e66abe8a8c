import { readFileSync } from 'node:fs';
import { MICRO_SCALE, Money } from '../common/money.js';
import type { Reader } from './readers.js';

export const ADDRESS_BOOK_RULES = ['optional', 'required'] as const;

/** The limits of users. Amounts are USDC; null: no such limit. */
export interface TierLimits {
  readonly withdrawal: {
    readonly minimum: Money;
    readonly perTransaction: Money | null;
    /** In any 24 hours. */
    readonly perDay: Money;
    /** In any 30 days. */
    readonly perMonth: Money | null;
  };
  /** The largest single investment. */
  readonly investment: { readonly maximum: Money | null };
  /** From this amount one admin approves a withdrawal and another one takes it. */
  readonly approvalAbove: Money | null;
  readonly addressBook: (typeof ADDRESS_BOOK_RULES)[number];
  readonly addressDelayHours: number;
}

export interface LimitTier extends TierLimits {
  readonly id: string;
  readonly name: string;
}

/** A tier of LIMITS_FILE; the settings give the limits that it leaves out. */
export interface TierDefinition {
  readonly id: string;
  readonly name: string;
  readonly withdrawal: Partial<TierLimits['withdrawal']>;
  readonly investment: Partial<TierLimits['investment']>;
  readonly approvalAbove?: TierLimits['approvalAbove'];
  readonly addressBook?: TierLimits['addressBook'];
  readonly addressDelayHours?: number;
}

const MAX_TIERS = 50;
const ID = /^[a-z0-9](-?[a-z0-9]){0,49}$/;
const MAX_DELAY_HOURS = 8760;
const MAX_AMOUNT = Money.of('1000000000000'); // as for the settings
const FIELDS = [
  'id',
  'name',
  'withdrawal',
  'investment',
  'approvalAbove',
  'addressBook',
  'addressDelayHours',
];
const WITHDRAWAL_FIELDS = ['minimum', 'perTransaction', 'perDay', 'perMonth'] as const;

/** Throws an error that names the path of each wrong value in the file, and states the expected value. */
export const limitsFile: Reader<readonly TierDefinition[]> = {
  expects: `the path of a JSON list of tiers, each with ${FIELDS.join(', ')}`,
  read: (path) => parseTiers(readFileSync(path, 'utf8')),
};

export function parseTiers(text: string): readonly TierDefinition[] {
  const entries: unknown = JSON.parse(text);
  if (!Array.isArray(entries) || entries.length === 0 || entries.length > MAX_TIERS)
    throw new Error(`it must be a JSON list of 1 to ${MAX_TIERS} tiers, the first one for new users`);
  const faults: string[] = [];
  const tiers = entries.map((entry, index) => readTier(new FilePart(entry, `[${index}]`, FIELDS, faults)));
  tiers.forEach(({ id }, index) => {
    const first = tiers.findIndex((other) => other.id === id);
    if (first !== index && id !== '')
      faults.push(`[${index}].id is "${id}", as is [${first}].id: rename one`);
  });
  if (faults.length > 0) throw new Error(faults.join('; '));
  return tiers;
}

function readTier(tier: FilePart): TierDefinition {
  const id = tier.text(
    'id',
    ID,
    'at most 50 lower-case letters and digits, with single hyphens between them',
  );
  const name = tier.text('name', /^(?=.*\S).{1,100}$/u, 'one line of 1 to 100 characters');
  const withdrawalPart = tier.part('withdrawal', WITHDRAWAL_FIELDS);
  const withdrawal = withoutAbsent({
    minimum: withdrawalPart.amount('minimum'),
    perTransaction: withdrawalPart.amountOrNull('perTransaction'),
    perDay: withdrawalPart.amount('perDay'),
    perMonth: withdrawalPart.amountOrNull('perMonth'),
  });
  for (const field of WITHDRAWAL_FIELDS)
    if (withdrawal.minimum && withdrawal[field]?.isLessThan(withdrawal.minimum))
      withdrawalPart.fail(field, `at least withdrawal.minimum, which is ${withdrawal.minimum.toWire()}`);
  const maximum = tier.part('investment', ['maximum']).amountOrNull('maximum');
  return {
    id: id ?? '',
    name: name ?? '',
    withdrawal,
    investment: withoutAbsent({ maximum }),
    ...withoutAbsent({
      approvalAbove: tier.amountOrNull('approvalAbove'),
      addressBook: tier.choice('addressBook', ADDRESS_BOOK_RULES),
      addressDelayHours: tier.hours('addressDelayHours'),
    }),
  };
}

type Present<Fields> = { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> };

function withoutAbsent<Fields extends object>(fields: Fields): Present<Fields> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;
}

/** An object of the file. Its methods read a field: undefined if it is absent, or wrong, which is a fault. */
class FilePart {
  private readonly fields: Readonly<Record<string, unknown>>;

  constructor(
    value: unknown,
    private readonly path: string,
    known: readonly string[],
    private readonly faults: string[],
  ) {
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    this.fields = isObject ? (value as Record<string, unknown>) : {};
    if (!isObject) faults.push(`${path} must be an object with ${known.join(', ')}`);
    for (const name of Object.keys(this.fields).filter((field) => !known.includes(field)))
      faults.push(`${path}.${name} is unknown: the fields are ${known.join(', ')}`);
  }

  fail(field: string, expected: string): undefined {
    this.faults.push(`${this.path}.${field} must be ${expected}`);
    return undefined;
  }

  part(field: string, known: readonly string[]): FilePart {
    return new FilePart(this.fields[field] ?? {}, `${this.path}.${field}`, known, this.faults);
  }

  /** Required. */
  text(field: string, pattern: RegExp, expected: string): string | undefined {
    const value = this.fields[field];
    return typeof value === 'string' && pattern.test(value) ? value : this.fail(field, expected);
  }

  amount(field: string): Money | undefined {
    return this.readAmount(field, '');
  }

  amountOrNull(field: string): Money | null | undefined {
    return this.fields[field] === null ? null : this.readAmount(field, ', or null for no such limit');
  }

  choice<const Choice extends string>(field: string, choices: readonly Choice[]): Choice | undefined {
    const value = this.fields[field];
    if (value === undefined) return undefined;
    return choices.find((choice) => choice === value) ?? this.fail(field, `one of ${choices.join(', ')}`);
  }

  hours(field: string): number | undefined {
    const value = this.fields[field];
    if (value === undefined) return undefined;
    const isValid =
      typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MAX_DELAY_HOURS;
    return isValid ? value : this.fail(field, `a whole number from 0 to ${MAX_DELAY_HOURS}`);
  }

  private readAmount(field: string, alternative: string): Money | undefined {
    const value = this.fields[field];
    if (value === undefined) return undefined;
    const amount = typeof value === 'string' ? Money.parse(value) : undefined;
    if (amount && !amount.isNegative() && !amount.isMoreThan(MAX_AMOUNT)) return amount;
    const expected = `a decimal string with at most ${MICRO_SCALE} decimals, such as "10.00"${alternative}`;
    return this.fail(field, expected);
  }
}
