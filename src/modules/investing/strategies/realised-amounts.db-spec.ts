import { Money } from '../../../common/money.js';
import type { AdminPrincipal } from '../../../http/auth/principal.js';
import { startNavFixture, type NavFixture } from '../../../../test/fixtures/nav-fixture.js';
import type { YieldReportInput } from './yield-reports.service.js';

const ID = 'balanced-10';
const ADMIN = { email: 'admin@example.com' } as AdminPrincipal;

/** Growth of one day at 10 % a year: 100000 × (1.1^(1/365) − 1) = 26.115788; 20 % of it are 5.223158. */
const INVESTED = '100000';

describe('the realised amount of a yield report', () => {
  let fixture: NavFixture;
  beforeEach(async () => {
    fixture = await startNavFixture('2026-03-02T10:00:00Z');
    await fixture.navs.publishMissingNavs();
  });
  afterEach(() => fixture.stop());

  const report = (
    eventId: string,
    day: string,
    realisedAmount?: string,
    more: Partial<YieldReportInput> = {},
  ) =>
    fixture.reports.record({
      eventId,
      strategyId: ID,
      day,
      apy: '10',
      ...(realisedAmount === undefined ? {} : { realisedAmount }),
      ...more,
    });
  const invest = async (amount = INVESTED) => {
    const user = await fixture.user(amount);
    return { user, id: (await fixture.investments.create(user, { strategyId: ID, amount })).id };
  };
  const goTo = async (day: string) => {
    fixture.clock.moveTo(`${day}T10:00:00Z`);
    await fixture.navs.publishMissingNavs();
  };
  const income = async () => (await fixture.platformBalance('income.strategy-yield', '')).toWire();
  const accept = (id: string) =>
    fixture.navs.runOnPublishedDay((tx) => fixture.reports.accept(tx, id, ADMIN));
  const stored = async (eventId: string) => {
    const { rows } = await fixture.reports.listReports({ page: 1, cursor: undefined, limit: 50 });
    const found = rows.find((row) => row.eventId === eventId);
    return found && { id: found.id, waitingFor: found.waitingFor, expected: found.expectedAmount?.toWire() };
  };

  it('waits for an admin and is not posted if the invested value does not explain it', async () => {
    await invest();
    await goTo('2026-03-05');
    expect(await report('e1', '2026-03-04', '5000000000')).toEqual({ state: 'waiting', duplicate: false });
    // 100000 × 1.1^(1/365) on 4 March, of which the growth of a day is 26.122608
    expect(await stored('e1')).toMatchObject({ waitingFor: ['realisedAmount'], expected: '26.122608' });
    expect(await income()).toBe('0.00');
    expect((await report('e2', '2026-03-04', '26.12')).state).toBe('fold');
    expect(await income()).toBe('26.12');
  });

  it.each([
    ['31.347', 'fold'], // 26.122608 × 1.2 = 31.347130
    ['31.348', 'waiting'],
    ['20.899', 'fold'], // 26.122608 × 0.8 = 20.898086
    ['20.898', 'waiting'],
    ['0', 'waiting'],
  ])('of %s where 26.122608 is expected leads to the state %s', async (amount, state) => {
    await invest();
    await goTo('2026-03-05');
    expect((await report('e1', '2026-03-04', amount)).state).toBe(state);
  });

  it('is compared with the value that was invested on its day, not with that of today', async () => {
    const { user, id } = await invest();
    await goTo('2026-03-05');
    await fixture.investments.close(user, id);
    await goTo('2026-03-08');
    await invest('1000000');
    await goTo('2026-03-10');
    expect((await report('first day', '2026-03-02', '261')).state).toBe('waiting');
    expect((await report('while invested', '2026-03-04', '26.12')).state).toBe('fold');
    expect((await report('after the closing', '2026-03-06', '26.12')).state).toBe('waiting');
    expect((await report('before the second investment earned', '2026-03-07', '261')).state).toBe('waiting');
    expect((await report('while the second is invested', '2026-03-09', '261.19')).state).toBe('fold');
    expect((await report('the present day', '2026-03-10', '261.26')).state).toBe('fold');
    expect((await report('a future day', '2026-03-15', '261.26')).state).toBe('rate');
    expect((await report('a future day, too much', '2026-03-15', '400')).state).toBe('waiting');
    expect(await income()).toBe('809.83'); // 26.12 + 261.19 + 261.26 + 261.26
  });

  it.each(['0', '26.12'])(
    'may count an investment that was made on the day or not: %s is applied for the first day',
    async (amount) => {
      await invest();
      expect((await report('today', '2026-03-02', amount)).state).toBe('fold');
      await goTo('2026-03-03');
      expect((await report('yesterday', '2026-03-02', amount)).state).toBe('fold');
      await goTo('2026-03-05');
      expect((await report('a past day', '2026-03-02', amount)).state).toBe('fold');
    },
  );

  it('of a correction waits as that of a first report, and the posted amount stays [SEC-343]', async () => {
    await invest();
    await goTo('2026-03-05');
    await report('e1', '2026-03-04', '26');
    for (const [eventId, amount] of [
      ['too much', '5000000000'],
      ['too little', '1'],
    ] as const)
      expect((await report(eventId, '2026-03-04', amount)).state).toBe('waiting');
    expect(await income()).toBe('26.00');
    expect((await report('e4', '2026-03-04', '25')).state).toBe('fold');
    expect((await report('e5', '2026-03-04')).state).toBe('fold'); // without an amount
    expect(await income()).toBe('25.00');
  });

  it('is posted when an admin accepts the report, and never when one rejects it', async () => {
    await invest();
    await goTo('2026-03-05');
    await report('accepted', '2026-03-03', '40');
    await report('rejected', '2026-03-04', '5000000000');
    const idOf = async (eventId: string) => (await stored(eventId))?.id as string;
    const accepted = await accept(await idOf('accepted'));
    expect(accepted).toMatchObject({ state: 'fold', waitingFor: ['realisedAmount'] });
    await fixture.reports.reject(await idOf('rejected'), 'A typing error', ADMIN);
    expect(await income()).toBe('40.00');
  });

  it('of a suspended day is compared with the reported rate', async () => {
    await invest();
    await goTo('2026-03-03');
    const suspended = fixture.newInstance(fixture.clock, { SUSPENDED_STRATEGIES: [ID] });
    fixture.clock.moveTo('2026-03-04T00:00:00Z');
    await suspended.navs.publishMissingNavs(); // the value of 5 March is that of the 4th
    fixture.clock.moveTo('2026-03-05T10:00:00Z');
    await suspended.navs.publishMissingNavs();
    const more = { apy: '9' }; // growth of a day: 23.62
    expect(await report('e1', '2026-03-04', '23.62', more)).toMatchObject({ state: 'ignored' });
    expect(await income()).toBe('23.62');
    expect(await report('e2', '2026-03-04', '236.2', more)).toMatchObject({ state: 'waiting' });
    const { id } = (await stored('e2')) as { id: string };
    expect(await accept(id)).toMatchObject({ state: 'ignored' });
    expect(await income()).toBe('236.20');
  });

  it('above 1.00 waits if nothing is invested', async () => {
    await goTo('2026-03-05');
    expect((await report('e1', '2026-03-04', '1')).state).toBe('fold');
    expect((await report('e2', '2026-03-04', '1.01')).state).toBe('waiting');
    expect(await stored('e2')).toMatchObject({ waitingFor: ['realisedAmount'], expected: '0.00' });
  });

  it('of a loss is expected to be zero or absent', async () => {
    await fixture.stop();
    fixture = await startNavFixture('2026-03-02T10:00:00Z', { YIELD_TOLERANCE_PERCENT: Money.of('100') });
    await fixture.navs.publishMissingNavs();
    await invest();
    await goTo('2026-03-05');
    const loss = { apy: '-20' };
    expect((await report('absent', '2026-03-04', undefined, loss)).state).toBe('fold');
    expect((await report('zero', '2026-03-04', '0', loss)).state).toBe('fold');
    expect((await report('positive', '2026-03-04', '61', loss)).state).toBe('waiting');
    expect(await income()).toBe('0.00');
  });
});
