import { Money } from './money.js';
import { asNumber, percentOf } from './ratio.js';

it.each([
  ['1', '4', 25], // 1 / 4 × 100
  ['1', '3', 33.33],
  ['2', '3', 66.67],
  ['-1', '8', -12.5],
  ['5', '0', 0], // of nothing
  ['0.000001', '1000000', 0],
])('%s of %s is %d %%', (part, whole, percent) => {
  expect(percentOf(Money.of(part), Money.of(whole))).toBe(percent);
});

it('keeps as many decimals as asked for, half to even', () => {
  expect(percentOf(Money.of('1'), Money.of('3'), 4)).toBe(33.3333);
  expect(asNumber(Money.of('0.125'))).toBe(0.12);
  expect(asNumber(Money.of('0.135'))).toBe(0.14);
});
