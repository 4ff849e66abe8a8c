import fc from 'fast-check';
import { Money } from './money.js';

describe('Money', () => {
  it.each([
    ['10', '10.00'],
    ['10.5', '10.50'],
    ['10.001369', '10.001369'],
    ['10.100000', '10.10'],
    ['0', '0.00'],
    ['-0.5', '-0.50'],
  ])('writes %s to JSON as %s', (stored, shown) => {
    expect(Money.of(stored).toWire()).toBe(shown);
  });

  it.each(['10', '0', '0.000001', '999999999999999999.999999'])('parses %s from a caller', (text) => {
    expect(Money.parse(text)?.toString()).toBe(text);
  });

  it.each([
    '-1',
    '+1',
    '1e3',
    ' 1',
    '1 ',
    '01',
    '.5',
    '1.',
    '1.0000001',
    '1000000000000000000',
    '',
    'NaN',
    '0x1',
    '1,5',
  ])('rejects %j from a caller', (text) => expect(Money.parse(text)).toBeUndefined());

  it.each([[10], [null], [undefined], [{}], [['1']], [true]])(
    'rejects %p from a caller, because it is not text',
    (value) => {
      expect(Money.parse(value)).toBeUndefined();
    },
  );

  it('rounds down towards zero, and half to even', () => {
    expect(Money.of('1.0000019').roundDown(6).toString()).toBe('1.000001');
    expect(Money.of('-1.0000019').roundDown(6).toString()).toBe('-1.000001');
    expect(Money.of('1.0000005').roundHalfEven(6).toString()).toBe('1');
    expect(Money.of('1.0000015').roundHalfEven(6).toString()).toBe('1.000002');
  });

  it('throws instead of writing more than six decimals to JSON', () => {
    expect(() => Money.of('1.0000001').toWire()).toThrow('must be rounded');
  });

  it('throws on a JavaScript number', () => {
    expect(() => Money.of(0.1 as unknown as string)).toThrow();
  });

  it('adds and subtracts without losing digits', () => {
    const amounts = fc.bigInt(0n, 10n ** 24n).map((n) => {
      const digits = n.toString().padStart(7, '0');
      return Money.of(`${digits.slice(0, -6)}.${digits.slice(-6)}`);
    });
    fc.assert(fc.property(amounts, amounts, (a, b) => a.plus(b).minus(b).equals(a)));
  });
});
