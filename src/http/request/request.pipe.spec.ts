import { Type } from 'class-transformer';
import { IsBoolean, IsIn, IsOptional, IsUUID, ValidateNested } from 'class-validator';
import type { DomainError } from '../../common/errors/domain-error.js';
import {
  BooleanFromText,
  DateInput,
  DayInput,
  MoneyInput,
  PageLimit,
  PageNumber,
  TextLength,
  TransferHashInput,
  UUID_VERSIONS,
  WalletAddressInput,
} from './input.decorators.js';
import { OtherNameOf } from './other-names.js';
import { PageQuery } from './page.query.js';
import { RequestPipe } from './request.pipe.js';

class Address {
  @WalletAddressInput()
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

  @OtherNameOf('startDate')
  @DateInput({ optional: true })
  from?: string;
}

class Payments extends PageQuery {
  @TransferHashInput({ optional: true })
  txHash?: string;

  @PageLimit('INVALID_LIMIT')
  override limit = 5;
}

class DayQuery {
  @DayInput({ optional: true })
  day?: string;
}

type Kind = 'body' | 'query';
const pipe = new RequestPipe();
const transform = (value: unknown, metatype: new () => object, type: Kind = 'body') =>
  pipe.transform(value, { metatype, type });

/** The code of the refusal, or `accepted`, with the fields and messages of its details. */
async function refused(value: unknown, metatype: new () => object = Order, type: Kind = 'body') {
  const error = (await transform(value, metatype, type).then(
    () => ({ code: 'accepted', details: { fields: [] } }),
    (thrown: unknown) => thrown,
  )) as DomainError;
  const { fields } = error.details as { fields: { field: string; message: string }[] };
  return {
    code: error.code,
    fields: fields.map(({ field }) => field),
    messages: fields.map(({ message }) => message),
  };
}

const order = { amount: '10.00', note: 'hello' };

describe('RequestPipe for bodies', () => {
  it('converts a body to its request class [SEC-053]', async () => {
    expect(await transform(order, Order)).toEqual(order);
    expect(await transform(order, Order)).toBeInstanceOf(Order);
  });

  it('treats null in an optional field as absent', async () => {
    expect(await transform({ ...order, key: null }, Order)).toEqual(order);
  });

  it('answers MISSING_REQUIRED_FIELD and names every missing field', async () => {
    expect(await refused({})).toEqual({
      code: 'MISSING_REQUIRED_FIELD',
      fields: ['amount', 'note'],
      messages: ['is required', 'is required'],
    });
  });

  it('answers missingCode of the class for a missing field', async () => {
    expect(await refused({}, Strict)).toMatchObject({ code: 'VALIDATION_ERROR', fields: ['amount', 'note'] });
  });

  it.each([[10], ['-1'], ['1e3'], ['1.0000001'], [null], [['10.00']], [{ $gt: '' }], [true], [' 10'], ['']])(
    'answers the code of the field for the amount %j [SEC-048]',
    async (amount) => {
      expect(await refused({ ...order, amount })).toMatchObject({
        code: 'INVALID_AMOUNT',
        fields: ['amount'],
      });
    },
  );

  it('answers what a required field must be if it is null', async () => {
    expect((await refused({ ...order, note: null })).messages).toEqual(['must be text of 1 to 5 characters']);
  });

  it('answers the code of a malformed field if another is missing, and names both in details', async () => {
    expect(await refused({ amount: 'much' })).toMatchObject({
      code: 'INVALID_AMOUNT',
      fields: ['amount', 'note'],
    });
  });

  it('answers VALIDATION_ERROR for a malformed field without a specific code', async () => {
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
  ])('counts the Unicode characters of %j', async (note, isAccepted) => {
    const { code } = await refused({ ...order, note });
    expect(code).toBe(isAccepted ? 'accepted' : 'VALIDATION_ERROR');
  });

  it('removes the name of the field from the messages of class-validator', async () => {
    expect(await refused({ ...order, key: 'no-uuid' })).toMatchObject({ messages: ['must be a UUID'] });
    expect(await refused({ orderBy: 'up' }, Listing, 'query')).toMatchObject({
      messages: ['must be one of the following values: asc, desc'],
    });
  });

  it('answers VALIDATION_ERROR for an unknown field', async () => {
    expect(await refused({ ...order, isAdmin: true })).toEqual({
      code: 'VALIDATION_ERROR',
      fields: ['isAdmin'],
      messages: ['is not a known field'],
    });
  });

  it('does not write to prototypes', async () => {
    const evil = JSON.parse('{"amount":"10.00","note":"hello","__proto__":{"key":"polluted"}}') as unknown;
    const dto = (await transform(evil, Order).catch(() => undefined)) as Order | undefined;
    expect(dto?.key).toBeUndefined();
    expect(({} as { key?: string }).key).toBeUndefined();
  });

  it('names nested fields by their path', async () => {
    expect(await refused({ ...order, to: {} })).toMatchObject({
      code: 'MISSING_REQUIRED_FIELD',
      fields: ['to.wallet'],
      messages: ['is required'],
    });
    expect(await refused({ ...order, to: { wallet: '0x1' } })).toMatchObject({ fields: ['to.wallet'] });
    expect(await refused({ ...order, to: { wallet: `0x${'a'.repeat(40)}`, more: 1 } })).toMatchObject({
      fields: ['to.more'],
    });
  });

  it.each([[null], [[]], ['text'], [1], [undefined]])(
    'answers VALIDATION_ERROR for the body %j',
    async (body) => {
      expect(await refused(body)).toMatchObject({ code: 'VALIDATION_ERROR', fields: ['body'] });
    },
  );
});

describe('RequestPipe for queries', () => {
  it('applies defaults', async () => {
    expect(await transform({}, Listing, 'query')).toEqual({ page: 1, limit: 20 });
  });

  it.each(['utm_source', '__proto__', 'constructor', 'toString'])(
    'answers VALIDATION_ERROR for the unknown parameter %s',
    async (name) => {
      const query = Object.assign(Object.create(null) as object, { [name]: 'x' });
      expect(await refused(query, Listing, 'query')).toEqual({
        code: 'VALIDATION_ERROR',
        fields: [name],
        messages: ['is not a known field'],
      });
    },
  );

  it('gives the value of another name to the parameter that it stands for', async () => {
    expect(await transform({ from: '2026-01-31' }, Listing, 'query')).toEqual({
      page: 1,
      limit: 20,
      startDate: '2026-01-31',
    });
    const both = { from: '2026-01-31', startDate: '2026-01-31' };
    expect(await transform(both, Listing, 'query')).toMatchObject({ startDate: '2026-01-31' });
    expect(await refused({ ...both, startDate: '2026-01-30' }, Listing, 'query')).toMatchObject({
      code: 'VALIDATION_ERROR',
      fields: ['from'],
    });
  });

  it('converts texts to numbers and booleans', async () => {
    const query = { page: '3', limit: '100', unread: 'true', orderBy: 'asc', startDate: '2026-01-31' };
    expect(await transform(query, Listing, 'query')).toEqual({ ...query, page: 3, limit: 100, unread: true });
  });

  it.each(['0', '-1', '1.5', 'x', '', '1e2', '0x10', ' 1', '999999999999', ['1', '2']])(
    'answers INVALID_PAGINATION for the page %j',
    async (page) => {
      expect(await refused({ page }, Listing, 'query')).toMatchObject({ code: 'INVALID_PAGINATION' });
    },
  );

  it('answers INVALID_PAGINATION for a limit above 100', async () => {
    expect(await refused({ limit: '101' }, Listing, 'query')).toMatchObject({ code: 'INVALID_PAGINATION' });
  });

  it('names the unknown fields first, then inherited ones, then those of the class, and answers the code of the first wrong known field', async () => {
    const query = { limit: '0', txHash: 'x', page: '0', other: '1' };
    expect(await refused(query, Payments, 'query')).toMatchObject({
      code: 'INVALID_PAGINATION',
      fields: ['other', 'page', 'limit', 'txHash'],
    });
    expect(await refused({ ...query, page: '1' }, Payments, 'query')).toMatchObject({
      code: 'INVALID_LIMIT',
      fields: ['other', 'limit', 'txHash'],
    });
  });

  it.each([
    { orderBy: 'up' },
    { orderBy: ['asc', 'desc'] },
    { orderBy: ['asc', 'asc'] },
    { unread: '1' },
    { unread: ['true', 'true'] },
    { startDate: '2026-02-30' },
    { startDate: '2026-02-28T25:00:00Z' },
    { startDate: '2026-02-28T10:00:00' }, // without a time zone
    { startDate: '28.02.2026' },
    { startDate: ['2026-02-28', '2026-02-28'] },
  ])('answers VALIDATION_ERROR for %j', async (query) => {
    expect(await refused(query, Listing, 'query')).toMatchObject({ code: 'VALIDATION_ERROR' });
  });

  it.each([
    '2026-02-30',
    '0000-01-01',
    'yesterday',
    'Tomorrow',
    '2026-02-30T00:00:00Z',
    '2026-01-31T12:00:00Z',
    'in February',
  ])('suggests only days for %s, where only days are accepted', async (day) => {
    const { messages } = await refused({ day }, DayQuery, 'query');
    expect(messages).toEqual([expect.stringMatching(/^must be a .* such as 2026-01-31$/)]);
  });

  it('suggests a day and an instant for a wrong instant', async () => {
    const { messages } = await refused({ startDate: '2026-02-30T12:00:00Z' }, Listing, 'query');
    expect(messages).toEqual(['must be a date from 1970 to 9999 such as 2026-01-31 or 2026-01-31T12:00:00Z']);
  });
});
