import fc from 'fast-check';
import { Money } from '../common/money.js';
import type { PlatformEvent } from './domain-events.js';
import { decodeFields, encodeFields } from './event-codec.js';

const AT = new Date('2026-03-02T10:00:00.000Z');
const eventWith = (fields: object): PlatformEvent => ({ name: 'deposit.completed', at: AT, ...fields });

/** What a reader of the table gets: PostgreSQL stores the JSON as text and gives it back parsed. */
const stored = (fields: object): object =>
  decodeFields(JSON.parse(JSON.stringify(encodeFields(eventWith(fields)))) as object);

const amount = fc
  .bigInt({ min: -(10n ** 30n), max: 10n ** 30n })
  .map((units) => Money.of(units.toString()).dividedBy(Money.of('1000000')));
const scalar = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => (Object.is(number, -0) ? 0 : number)),
  fc.boolean(),
  fc.constant(null),
  fc.date({ noInvalidDate: true }),
  fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
  amount,
);
/** As in TypeScript, where a name that begins with $ or __ does not occur. */
const fieldName = fc.stringMatching(/^[a-z][A-Za-z0-9]{0,8}$/);
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    scalar,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fieldName, tie('value'), { maxKeys: 4, noNullPrototype: true }),
  ),
}));
const fields = fc.dictionary(
  fieldName.filter((name) => !['name', 'at', 'userId'].includes(name)),
  value,
  { maxKeys: 6, noNullPrototype: true },
);

describe('The JSON of a recorded event', () => {
  it('contains only the fields that have no column of their own', () => {
    expect(encodeFields({ ...eventWith({ depositId: 'd' }), userId: 'u' } as PlatformEvent)).toEqual({
      depositId: 'd',
    });
  });

  it('marks amounts, times and bytes', () => {
    const event = eventWith({
      amount: Money.of('0.1'),
      details: { usableFrom: AT, parts: [Money.ZERO] },
      leaf: Buffer.from([255, 0, 1]),
      reason: null,
      part: undefined,
    });
    expect(encodeFields(event)).toEqual({
      amount: { $amount: '0.1' },
      details: { usableFrom: { $time: '2026-03-02T10:00:00.000Z' }, parts: [{ $amount: '0' }] },
      leaf: { $bytes: '/wAB' },
      reason: null,
    });
  });

  it('decodes any event to the emitted values', () => {
    fc.assert(
      fc.property(fields, (emitted) => {
        expect(stored(emitted)).toEqual(emitted);
      }),
    );
  });

  it('gives back amounts, times and bytes of the same class', () => {
    const emitted = { amount: Money.of('-12.345678'), at2: AT, leaf: Uint8Array.from([1, 2, 3]) };
    const read = stored(emitted) as typeof emitted;
    expect(read.amount).toBeInstanceOf(Money);
    expect(read.amount.toString()).toBe('-12.345678');
    expect(read.at2).toBeInstanceOf(Date);
    expect(Buffer.isBuffer(read.leaf)).toBe(true);
    expect([...read.leaf]).toEqual([1, 2, 3]);
  });
});
