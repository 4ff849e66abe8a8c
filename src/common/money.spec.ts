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
  ])('shows %s as %s', (stored, shown) => {
    expect(Money.of(stored).toWire()).toBe(shown);
  });

  it.each(['10', '0', '0.000001', '999999999999999999.999999'])('takes %s', (text) => {
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
  ])('refuses %j', (text) => expect(Money.parse(text)).toBeUndefined());

  it.each([[10], [null], [undefined], [{}], [['1']], [true]])('refuses %p, which is not text', (value) => {
    expect(Money.parse(value)).toBeUndefined();
  });

  it('rounds down towards zero and half to even, by name', () => {
    expect(Money.of('1.0000019').roundDown(6).toString()).toBe('1.000001');
    expect(Money.of('-1.0000019').roundDown(6).toString()).toBe('-1.000001');
    expect(Money.of('1.0000005').roundHalfEven(6).toString()).toBe('1');
    expect(Money.of('1.0000015').roundHalfEven(6).toString()).toBe('1.000002');
  });

  it('does not show more digits than it may', () => {
    expect(() => Money.of('1.0000001').toWire()).toThrow('must be rounded');
  });

  it('never takes a JavaScript number', () => {
    expect(() => Money.of(0.1 as unknown as string)).toThrow();
  });

  it('adds and takes away without loss, whatever the digits', () => {
    const micro = fc.bigInt(0n, 10n ** 24n).map((n) => {
      const digits = n.toString().padStart(7, '0');
      return Money.of(`${digits.slice(0, -6)}.${digits.slice(-6)}`);
    });
    fc.assert(fc.property(micro, micro, (a, b) => a.plus(b).minus(b).equals(a)));
  });
});
