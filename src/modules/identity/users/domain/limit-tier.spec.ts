import type { AppConfig } from '../../../../config/app-config.js';
import { parseTiers } from '../../../../config/limits-file.js';
import { Money } from '../../../../common/money.js';
import { strictestOf, tiersOf } from './limit-tier.js';

const SETTINGS = {
  WITHDRAWAL_MINIMUM: Money.of('10.00'),
  WITHDRAWAL_DAILY_LIMIT: Money.of('50000.00'),
  WITHDRAWAL_FOUR_EYES_ABOVE: Money.of('1000.00'),
  WITHDRAWAL_ADDRESS_BOOK: 'optional',
  addressDelayHours: 24,
} as AppConfig;
const withFile = (...tiers: object[]) =>
  tiersOf({ ...SETTINGS, LIMITS_FILE: parseTiers(JSON.stringify(tiers)) } as AppConfig);
/** With amounts as text. */
const shown = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

const OF_SETTINGS = {
  withdrawal: { minimum: '10.00', perTransaction: null, perDay: '50000.00', perMonth: null },
  investment: { maximum: null },
  approvalAbove: '1000.00',
  addressBook: 'optional',
  addressDelayHours: 24,
};

describe('tiersOf', () => {
  it('gives one tier with the limits of the settings without LIMITS_FILE', () => {
    expect(shown(tiersOf(SETTINGS))).toEqual([{ id: 'standard', name: 'Standard', ...OF_SETTINGS }]);
  });

  it('takes the limits that a tier leaves out from the settings, and null as no limit', () => {
    const [basic, large] = withFile(
      { id: 'basic', name: 'Basic', withdrawal: { perDay: '100.00' }, addressBook: 'required' },
      {
        id: 'large',
        name: 'Large',
        approvalAbove: null,
        addressDelayHours: 0,
        investment: { maximum: '5.00' },
      },
    );
    const withdrawal = { ...OF_SETTINGS.withdrawal, perDay: '100.00' };
    expect(shown(basic)).toEqual({
      ...OF_SETTINGS,
      id: 'basic',
      name: 'Basic',
      withdrawal,
      addressBook: 'required',
    });
    expect(shown(large)).toEqual({
      ...OF_SETTINGS,
      id: 'large',
      name: 'Large',
      approvalAbove: null,
      addressDelayHours: 0,
      investment: { maximum: '5.00' },
    });
  });
});

describe('strictestOf', () => {
  it('takes each limit from the strictest tier, and the lowest minimum', () => {
    const tiers = withFile(
      {
        id: 'a',
        name: 'A',
        approvalAbove: null,
        addressBook: 'required',
        addressDelayHours: 1,
        withdrawal: { minimum: '50.00', perTransaction: '90.00', perDay: '100.00', perMonth: null },
      },
      {
        id: 'b',
        name: 'B',
        approvalAbove: '70.00',
        addressBook: 'optional',
        addressDelayHours: 72,
        withdrawal: { minimum: '5.00', perTransaction: null, perDay: '200.00', perMonth: '300.00' },
        investment: { maximum: '40.00' },
      },
    );
    const expected = {
      withdrawal: { minimum: '5.00', perTransaction: '90.00', perDay: '100.00', perMonth: '300.00' },
      investment: { maximum: '40.00' },
      approvalAbove: '70.00',
      addressBook: 'required',
      addressDelayHours: 72,
    };
    expect(shown(strictestOf(tiers))).toEqual(expected);
    const [first, second] = tiers;
    expect(shown(strictestOf([second ?? first, first]))).toEqual(expected);
  });
});
