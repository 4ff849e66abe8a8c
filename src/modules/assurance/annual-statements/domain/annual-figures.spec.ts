import fc from 'fast-check';
import { repetitions } from '../../../../../test/harness/repetitions.js';
import { Money } from '../../../../common/money.js';
import { disposalsOf, type CostMethod, type UnitEvent } from './annual-figures.js';

const AT = new Date('2026-03-02T10:00:00.000Z');
const common = { strategyId: 'balanced-10', investmentId: 'i', at: AT };
const acquired = (units: string, cost: string, strategyId = 'balanced-10'): UnitEvent => ({
  ...common,
  strategyId,
  kind: 'acquisition',
  units: Money.of(units),
  cost: Money.of(cost),
});
const disposed = (
  units: string,
  proceeds: string,
  lotCost: string,
  strategyId = 'balanced-10',
): UnitEvent => ({
  ...common,
  strategyId,
  kind: 'closing',
  units: Money.of(units),
  proceeds: Money.of(proceeds),
  lotCost: Money.of(lotCost),
  fees: Money.ZERO,
});

function amountsOf(events: UnitEvent[], method: CostMethod) {
  const { disposals, holdings } = disposalsOf(events, method);
  return {
    disposals: disposals.map(({ cost, gain, lotGain, difference }) =>
      [cost, gain, lotGain, difference].map((amount) => amount.toWire()).join(' '),
    ),
    holdings: holdings.map(({ strategyId, units, cost, lotCost }) =>
      [strategyId, units, cost.toWire(), lotCost.toWire()].join(' '),
    ),
  };
}

describe('The cost of disposed units', () => {
  // 100 units for 100.00 and 50 units for 60.00; the second investment is closed for 75.00.
  const SECOND_CLOSED = [
    acquired('100', '100.00'),
    acquired('50', '60.00'),
    disposed('50', '75.00', '60.00'),
  ];

  it('is that of the units acquired first (FIFO)', () => {
    expect(amountsOf(SECOND_CLOSED, 'fifo')).toEqual({
      disposals: ['50.00 25.00 15.00 10.00'], // 50 of the first 100 units
      holdings: ['balanced-10 100 110.00 100.00'], // 50.00 + 60.00; the first investment is still open
    });
  });

  it('is the average of all units', () => {
    expect(amountsOf(SECOND_CLOSED, 'average')).toEqual({
      disposals: ['53.333333 21.666667 15.00 6.666667'], // 160.00 × 50 / 150
      holdings: ['balanced-10 100 106.666667 100.00'],
    });
  });

  it.each(['fifo', 'average'] as const)('leaves no difference when all units are gone: %s', (method) => {
    const { disposals, holdings } = disposalsOf(
      [...SECOND_CLOSED, disposed('100', '130.00', '100.00')],
      method,
    );
    expect(Money.sum(disposals.map(({ difference }) => difference)).toWire()).toBe('0.00');
    expect(holdings).toEqual([]);
  });

  it('is taken from several lots in their order', () => {
    const events = [acquired('1', '1.00'), acquired('2', '4.00'), disposed('2', '5.00', '3.00')];
    expect(amountsOf(events, 'fifo').disposals).toEqual(['3.00 2.00 2.00 0.00']); // 1.00 + 4.00 × 1 / 2
  });

  it('is computed for each strategy', () => {
    const events = [
      acquired('10', '10.00', 'conservative-5'),
      acquired('10', '20.00'),
      disposed('10', '21.00', '20.00'),
    ];
    expect(amountsOf(events, 'average')).toEqual({
      disposals: ['20.00 1.00 1.00 0.00'],
      holdings: ['conservative-5 10 10.00 10.00'],
    });
  });

  it('rounds half to even at six decimals, and the last units take the rest', () => {
    const events = [
      acquired('3', '0.000010'),
      ...['1', '1', '1'].map((units) => disposed(units, '0.00', '0.00')),
    ];
    for (const method of ['fifo', 'average'] as const)
      expect(disposalsOf(events, method).disposals.map(({ cost }) => cost.toWire())).toEqual([
        '0.000003', // 10 / 3
        '0.000004', // 7 / 2 = 3.5, to even
        '0.000003',
      ]);
  });

  it('throws if more units leave than came', () => {
    for (const method of ['fifo', 'average'] as const)
      expect(() => disposalsOf([acquired('1', '1.00'), disposed('2', '2.00', '1.00')], method)).toThrow(
        RangeError,
      );
  });
});

/** Each step acquires units, or disposes of a share of them in thousandths. */
const history = fc.array(
  fc.oneof(
    fc.record({ units: fc.bigInt(1n, 10n ** 30n), cost: fc.bigInt(1n, 10n ** 12n) }),
    fc.record({ share: fc.bigInt(1n, 1000n) }),
  ),
  { minLength: 2, maxLength: 7 },
);
type Step = typeof history extends fc.Arbitrary<(infer Value)[]> ? Value : never;

const unitText = (units: bigint) => Money.of(`${units}e-24`);
const microText = (micros: bigint) => Money.of(`${micros}e-6`);

function toEvents(steps: readonly Step[]): UnitEvent[] {
  let held = 0n;
  const events: UnitEvent[] = [];
  for (const step of steps) {
    if ('cost' in step) {
      held += step.units;
      events.push({
        ...common,
        kind: 'acquisition',
        units: unitText(step.units),
        cost: microText(step.cost),
      });
      continue;
    }
    const units = (held * step.share) / 1000n;
    if (units === 0n) continue;
    held -= units;
    const amounts = { proceeds: Money.ZERO, lotCost: Money.ZERO, fees: Money.ZERO };
    events.push({ ...common, kind: 'closing', units: unitText(units), ...amounts });
  }
  return events;
}

/** The quotient of whole numbers, rounded half to even. */
function rounded(dividend: bigint, divisor: bigint): bigint {
  const whole = dividend / divisor;
  const rest = dividend % divisor;
  if (2n * rest === divisor) return whole + (whole % 2n);
  return 2n * rest > divisor ? whole + 1n : whole;
}

/** The costs in whole millionths, computed with whole numbers and without `Money`. */
function expectedCosts(steps: readonly Step[], method: CostMethod): bigint[] {
  let lots: { units: bigint; cost: bigint }[] = [];
  const costs: bigint[] = [];
  for (const step of steps) {
    if ('cost' in step) {
      lots.push({ units: step.units, cost: step.cost });
      if (method === 'average')
        lots = [
          {
            units: lots.reduce((n, lot) => n + lot.units, 0n),
            cost: lots.reduce((n, lot) => n + lot.cost, 0n),
          },
        ];
      continue;
    }
    let wanted = (lots.reduce((sum, lot) => sum + lot.units, 0n) * step.share) / 1000n;
    if (wanted === 0n) continue;
    let cost = 0n;
    const left: typeof lots = [];
    for (const lot of lots) {
      const taken = lot.units < wanted ? lot.units : wanted;
      const part = lot.units === 0n ? 0n : rounded(lot.cost * taken, lot.units);
      wanted -= taken;
      cost += part;
      if (lot.units > taken) left.push({ units: lot.units - taken, cost: lot.cost - part });
    }
    lots = left;
    costs.push(cost);
  }
  return costs;
}

describe('The costs of random histories', () => {
  it.each(['fifo', 'average'] as const)(
    'equal those of a second computation with whole numbers: %s',
    (method) => {
      fc.assert(
        fc.property(history, (steps) => {
          const { disposals, holdings } = disposalsOf(toEvents(steps), method);
          expect(disposals.map(({ cost }) => cost.toWire())).toEqual(
            expectedCosts(steps, method).map((micros) => microText(micros).toWire()),
          );
          const acquiredCost = steps.reduce((sum, step) => sum + ('cost' in step ? step.cost : 0n), 0n);
          const allCosts = Money.sum([...disposals, ...holdings].map(({ cost }) => cost));
          expect(allCosts.toWire()).toBe(microText(acquiredCost).toWire());
        }),
        { numRuns: repetitions(10_000) },
      );
    },
  );
});
