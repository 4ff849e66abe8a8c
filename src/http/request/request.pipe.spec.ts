import { Type } from 'class-transformer';
import { IsBoolean, IsIn, IsOptional, IsUUID, ValidateNested } from 'class-validator';
import type { DomainError } from '../../common/errors/domain-error.js';
import {
  BooleanFromText,
  DateInput,
  MoneyInput,
  PageLimit,
  PageNumber,
  TextLength,
  UUID_VERSIONS,
  WalletAddressInput,
} from './input.decorators.js';
import { RequestPipe } from './request.pipe.js';

class Address {
  @WalletAddressInput({ code: 'INVALID_WALLET_ADDRESS' })
  wallet!: string;
}

class Order {
  @MoneyInput({ code: 'INVALID_AMOUNT' })
  amount!: string;

  @TextLength(1, 5)
  note!: string;

  @IsOptional()
  @IsUUID(UUID_VERSIONS)
  key?: string;

  @ValidateNested()
  @Type(() => Address)
  to?: Address;
}

class Strict extends Order {
  static readonly missingCode = 'VALIDATION_ERROR';
}

class Listing {
  @PageNumber()
  page: number = 1;

  @PageLimit()
  limit: number = 20;

  @IsOptional()
  @IsIn(['asc', 'desc'])
  orderBy?: string;

  @IsOptional()
  @BooleanFromText()
  @IsBoolean()
  unread?: boolean;

  @DateInput({ optional: true })
  startDate?: string;
}

type Kind = 'body' | 'query';
const pipe = new RequestPipe();
const taken = (value: unknown, metatype: new () => object, type: Kind = 'body') =>
  pipe.transform(value, { metatype, type });

async function refused(value: unknown, metatype: new () => object = Order, type: Kind = 'body') {
  const error = (await taken(value, metatype, type).then(
    () => ({ code: 'taken', details: [] }),
    (thrown: unknown) => thrown,
  )) as DomainError;
  const details = error.details as { field: string; message: string }[];
  return {
    code: error.code,
    fields: details.map(({ field }) => field),
    messages: details.map(({ message }) => message),
  };
}

const order = { amount: '10.00', note: 'hello' };

describe('A body', () => {
  it('becomes its DTO [SEC-053]', async () => {
    expect(await taken(order, Order)).toEqual(order);
    expect(await taken(order, Order)).toBeInstanceOf(Order);
  });

  it('with null for what may be absent: as if it were absent', async () => {
    expect(await taken({ ...order, key: null }, Order)).toEqual(order);
  });

  it('without a required field: MISSING_REQUIRED_FIELD, naming every one', async () => {
    expect(await refused({})).toMatchObject({ code: 'MISSING_REQUIRED_FIELD', fields: ['amount', 'note'] });
  });

  it('without a required field: the code of the endpoint, where it has one', async () => {
    expect(await refused({}, Strict)).toMatchObject({ code: 'VALIDATION_ERROR', fields: ['amount', 'note'] });
  });

  it.each([[10], ['-1'], ['1e3'], ['1.0000001'], [null], [['10.00']], [{ $gt: '' }], [true], [' 10'], ['']])(
    'with an amount of %j: the code of the field [SEC-048]',
    async (amount) => {
      expect(await refused({ ...order, amount })).toMatchObject({
        code: 'INVALID_AMOUNT',
        fields: ['amount'],
      });
    },
  );

  it('with a bad value and a missing field: the code of the value, and both in details', async () => {
    expect(await refused({ amount: 'much' })).toMatchObject({
      code: 'INVALID_AMOUNT',
      fields: ['amount', 'note'],
    });
  });

  it('with a bad value without a code of its own: VALIDATION_ERROR', async () => {
    expect(await refused({ ...order, note: 'too long' })).toMatchObject({
      code: 'VALIDATION_ERROR',
      fields: ['note'],
    });
    expect(await refused({ ...order, key: 'no-uuid' })).toMatchObject({
      code: 'VALIDATION_ERROR',
      fields: ['key'],
    });
  });

  it.each([
    ['a'.repeat(6), false],
    ['😀'.repeat(5), true], // ten UTF-16 code units
    ['😀'.repeat(6), false],
    ['❤️❤️❤️', false], // each is a heart and a variation selector
  ])('counts the Unicode characters of %j', async (note, isTaken) => {
    const { code } = await refused({ ...order, note });
    expect(code).toBe(isTaken ? 'taken' : 'VALIDATION_ERROR');
  });

  it('with a value that class-validator itself describes: its message without the name of the field', async () => {
    expect(await refused({ ...order, key: 'no-uuid' })).toMatchObject({ messages: ['must be a UUID'] });
    expect(await refused({ orderBy: 'up' }, Listing, 'query')).toMatchObject({
      messages: ['must be one of the following values: asc, desc'],
    });
  });

  it('with a field that is not known: VALIDATION_ERROR', async () => {
    expect(await refused({ ...order, isAdmin: true })).toEqual({
      ...{ code: 'VALIDATION_ERROR', fields: ['isAdmin'], messages: ['is not a known field'] },
    });
  });

  it('does not reach into prototypes', async () => {
    const evil = JSON.parse('{"amount":"10.00","note":"hello","__proto__":{"key":"polluted"}}') as unknown;
    const dto = (await taken(evil, Order).catch(() => undefined)) as Order | undefined;
    expect(dto?.key).toBeUndefined();
    expect(({} as { key?: string }).key).toBeUndefined();
  });

  it('names a field inside another', async () => {
    expect(await refused({ ...order, to: { wallet: '0x1' } })).toMatchObject({ fields: ['to.wallet'] });
    expect(await refused({ ...order, to: { wallet: `0x${'a'.repeat(40)}`, more: 1 } })).toMatchObject({
      fields: ['to.more'],
    });
  });

  it.each([[null], [[]], ['text'], [1], [undefined]])('that is %j: VALIDATION_ERROR', async (body) => {
    expect(await refused(body)).toMatchObject({ code: 'VALIDATION_ERROR', fields: ['body'] });
  });
});

describe('A query', () => {
  it('has its defaults, and ignores what is not known', async () => {
    expect(await taken({ utm_source: 'x' }, Listing, 'query')).toEqual({ page: 1, limit: 20 });
  });

  it('turns its text into numbers and flags', async () => {
    const query = { page: '3', limit: '100', unread: 'true', orderBy: 'asc', startDate: '2026-01-31' };
    expect(await taken(query, Listing, 'query')).toEqual({ ...query, page: 3, limit: 100, unread: true });
  });

  it.each(['0', '-1', '1.5', 'x', '', '1e2', '0x10', ' 1', '999999999999', ['1', '2']])(
    'with page %j: INVALID_PAGINATION',
    async (page) => {
      expect(await refused({ page }, Listing, 'query')).toMatchObject({ code: 'INVALID_PAGINATION' });
    },
  );

  it('with a limit above 100: INVALID_PAGINATION', async () => {
    expect(await refused({ limit: '101' }, Listing, 'query')).toMatchObject({ code: 'INVALID_PAGINATION' });
  });

  it.each([
    { orderBy: 'up' },
    { orderBy: ['asc', 'desc'] },
    { orderBy: ['asc', 'asc'] },
    { unread: '1' },
    { unread: ['true', 'true'] },
    { startDate: '2026-02-30' },
    { startDate: '2026-02-28T25:00:00Z' },
    { startDate: '2026-02-28T10:00:00' }, // of which zone?
    { startDate: '28.02.2026' },
    { startDate: ['2026-02-28', '2026-02-28'] },
  ])('with %j: VALIDATION_ERROR', async (query) => {
    expect(await refused(query, Listing, 'query')).toMatchObject({ code: 'VALIDATION_ERROR' });
  });

  it('is not led astray by __proto__', async () => {
    const query = Object.assign(Object.create(null) as object, { ['__proto__']: ['a', 'b'] });
    const dto = await taken(query, Listing, 'query');
    expect(dto).toBeInstanceOf(Listing);
    expect(dto).toEqual({ page: 1, limit: 20 });
  });
});
