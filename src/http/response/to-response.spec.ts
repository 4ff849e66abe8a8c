import { Money } from '../../common/money.js';
import {
  ExactAmountField,
  HashField,
  InstantField,
  ListField,
  MapField,
  MoneyField,
  NestedField,
  StringField,
} from '../openapi/fields.js';
import { toResponse, toResponses } from './to-response.js';

class PartResponse {
  @StringField() name!: string;
  @MoneyField() amount!: string;
}

class WholeResponse extends PartResponse {
  @InstantField({ nullable: true }) endedAt!: string | null;
  @HashField() root!: string;
  @ExactAmountField() units!: string;
  @NestedField(() => PartResponse, { nullable: true }) first!: PartResponse | null;
  @ListField(() => PartResponse) parts!: PartResponse[];
  @MapField({ type: 'string' }, { optional: true }) labels?: Record<string, string>;
}

const part = { name: 'fee', amount: Money.of('1.5'), secret: 'not declared' };
const whole = {
  ...part,
  endedAt: new Date('2026-03-01T12:00:00Z'),
  root: Buffer.alloc(32),
  units: Money.of('0.123456789'),
  first: part,
  parts: [part],
};

describe('toResponse', () => {
  it('writes the declared fields, inherited ones first, as their decorators say', () => {
    const response = toResponse(WholeResponse, whole);
    expect(response).toEqual({
      name: 'fee',
      amount: '1.50',
      endedAt: '2026-03-01T12:00:00.000Z',
      root: `${'A'.repeat(43)}=`,
      units: '0.123456789',
      first: { name: 'fee', amount: '1.50' },
      parts: [{ name: 'fee', amount: '1.50' }],
    });
    expect(Object.keys(response).slice(0, 3)).toEqual(['name', 'amount', 'endedAt']);
  });

  it('keeps null and values that are text already, and leaves out an optional field without a value', () => {
    const response = toResponse(WholeResponse, { ...whole, amount: '2.00', endedAt: null, first: null });
    expect(response).toMatchObject({ amount: '2.00', endedAt: null, first: null });
    expect(response).not.toHaveProperty('labels');
  });

  it('takes given fields in place of those of the source', () => {
    const row = { title: 'fee', amount: Money.of('1.5') };
    expect(toResponse(PartResponse, row, { name: row.title })).toEqual({ name: 'fee', amount: '1.50' });
    expect(toResponse(WholeResponse, whole, { endedAt: null }).endedAt).toBeNull();
  });

  it('throws on an amount with more decimals than a response shows', () => {
    expect(() => toResponses(PartResponse, [{ name: 'fee', amount: whole.units }])).toThrow(RangeError);
  });

  it('leaves out what the source does not have; the compiler refuses such calls', () => {
    // @ts-expect-error the source has no amount
    expect(toResponse(PartResponse, { name: 'fee' })).toEqual({ name: 'fee' });
    // @ts-expect-error the given field is none of the response
    expect(toResponse(PartResponse, part, { secret: 'fee' })).not.toHaveProperty('secret');
    // @ts-expect-error a given field must have a value
    expect(toResponse(PartResponse, part, { name: undefined }).name).toBeUndefined();
    // @ts-expect-error the amount is a number
    expect(toResponse(PartResponse, { name: 'fee', amount: 1 })).toEqual({ name: 'fee', amount: 1 });
    // @ts-expect-error a part has no amount
    const { parts } = toResponse(WholeResponse, whole, { parts: [{ name: 'fee' }] });
    expect(parts).toEqual([{ name: 'fee' }]);
  });
});
