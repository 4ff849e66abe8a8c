import { Money } from '../../../../common/money.js';
import { targetAfterStart, targetApyOf, type TargetApy } from './apy.js';

const after = (apy: string, stored: TargetApy | undefined, today: string) =>
  targetAfterStart(Money.of(apy), stored, today);
const apysOf = (target: TargetApy, ...days: string[]) =>
  days.map((day) => targetApyOf(target, day).toString());

describe('A target APY', () => {
  const initial = after('10', undefined, '2026-03-01');

  it('counts for every day until it is changed', () => {
    expect(apysOf(initial, '2026-02-01', '2026-03-01', '2027-01-01')).toEqual(['10', '10', '10']);
    expect(after('10.0', initial, '2026-03-05')).toMatchObject({ formerApy: null, apyFrom: null });
  });

  it('counts from the day after its change on, also after later starts without a change', () => {
    const changed = after('12', initial, '2026-03-04');
    expect(apysOf(changed, '2026-03-03', '2026-03-04', '2026-03-05')).toEqual(['10', '10', '12']);
    expect(after('12', changed, '2026-03-04')).toEqual(changed);
    expect(after('12', changed, '2026-04-01')).toEqual(changed);
  });

  it('never counts if it is changed again on the same day', () => {
    const changedTwice = after('15', after('12', initial, '2026-03-04'), '2026-03-04');
    expect(apysOf(changedTwice, '2026-03-04', '2026-03-05')).toEqual(['10', '15']);
  });
});
