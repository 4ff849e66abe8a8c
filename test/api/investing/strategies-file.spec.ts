import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import { startApiWithSettings } from '../../harness/api-with-settings.js';
import { testFolder } from '../../harness/test-folder.js';

interface Entry {
  readonly id: string;
  readonly [field: string]: unknown;
}

const DEFAULTS = JSON.parse(
  readFileSync(new URL('../../../config/strategies.json', import.meta.url), 'utf8'),
) as Entry[];
const STRATEGIES = '/api/user/strategies';
const INVESTMENTS = '/api/user/investments';
const START = '2026-03-02T10:00:00.000Z';
const NEW_STRATEGY = {
  id: 'fixed-7',
  name: 'Fixed 7%',
  description: 'Fixed yield.',
  riskLevel: 'low',
  apy: '7.00',
  minAmount: '50.00',
  maxAmount: '500.00',
  protocols: { pendle: '70', curve: '30' },
};
const WITH_12_PERCENT = DEFAULTS.map((entry) =>
  entry.id === 'balanced-10' ? { ...entry, apy: '12' } : entry,
);
const without = (id: string) => DEFAULTS.filter((entry) => entry.id !== id);

describe('STRATEGIES_FILE', () => {
  let platform: TestPlatform;
  let restarted: { url: string; stop: () => Promise<void> } | undefined;
  beforeEach(async () => {
    platform = await startPlatform({ at: START });
  });
  afterEach(async () => {
    await restarted?.stop();
    restarted = undefined;
    await platform?.stop();
  });

  async function restartWith(strategies: readonly object[]): Promise<string> {
    const file = path.join(testFolder('strategies'), 'strategies.json');
    writeFileSync(file, JSON.stringify(strategies));
    restarted = await startApiWithSettings(platform, { STRATEGIES_FILE: file });
    return restarted.url;
  }

  it('adds a strategy with its own limits and protocols', async () => {
    const ann = await platform.given.user().withBalance('1000.00');
    const url = await restartWith([...DEFAULTS, NEW_STRATEGY]);
    const { data } = await platform.as(ann, url).get(STRATEGIES);
    expect(data.strategies.map(({ id }: Entry) => id)).toEqual([...DEFAULTS.map(({ id }) => id), 'fixed-7']);
    const invest = (amount: string) =>
      platform.as(ann, url).post(INVESTMENTS, { strategyId: 'fixed-7', amount });
    expect((await invest('49.99')).code).toBe('INVALID_AMOUNT');
    expect((await invest('100.00')).data).toMatchObject({
      strategyName: 'Fixed 7%',
      apy: 7,
      allocation: { pendle: '70.00', curve: '30.00' },
    });
  });

  it('applies a changed APY to the next published value, keeps earlier rates, and dates the change', async () => {
    const admin = await platform.given.admin();
    await platform.runJob('nav-roll'); // publishes the values of 2 and 3 March
    platform.clock.moveTo('2026-03-02T12:00:00Z');
    const url = await restartWith(WITH_12_PERCENT);
    platform.clock.moveTo('2026-03-03T00:00:00Z');
    const ann = await platform.given.user();
    await platform.as(ann, url).get(`${STRATEGIES}/balanced-10/performance`); // publishes the value of 4 March
    const rates = await platform.dataSource.query(
      `select day, apy, source from strategy_nav where strategy_id = 'balanced-10' order by day`,
    );
    expect(rates).toEqual([
      { day: '2026-03-02', apy: '10', source: 'first' },
      { day: '2026-03-03', apy: '10', source: 'target' },
      { day: '2026-03-04', apy: '12', source: 'target' },
    ]);
    const { data } = await platform.as(admin, url).get('/api/admin/strategies');
    expect(
      data.map(({ id, apy, createdAt, updatedAt }: Record<string, string>) => [
        id,
        apy,
        createdAt,
        updatedAt,
      ]),
    ).toEqual([
      ['conservative-5', '5.00', START, START],
      ['balanced-10', '12.00', START, '2026-03-02T12:00:00.000Z'],
      ['aggressive-20', '20.00', START, START],
    ]);
  });

  it('keeps the former APY for days before its change whose values are published after the change', async () => {
    await platform.runJob('nav-roll'); // publishes the values of 2 and 3 March
    platform.clock.moveTo('2026-03-05T00:00:05Z');
    const url = await restartWith(WITH_12_PERCENT);
    const ann = await platform.given.user();
    const publish = () => platform.as(ann, url).get(`${STRATEGIES}/balanced-10/performance`);
    await publish();
    platform.clock.moveTo('2026-03-06T10:00:00Z');
    await publish();
    const rates = await platform.dataSource.query(
      `select day, apy from strategy_nav where strategy_id = 'balanced-10' and day > '2026-03-03' order by day`,
    );
    expect(rates).toEqual([
      { day: '2026-03-04', apy: '10' }, // follows from the growth of 3 March
      { day: '2026-03-05', apy: '10' },
      { day: '2026-03-06', apy: '10' },
      { day: '2026-03-07', apy: '12' },
    ]);
  });

  it('stops the start if a strategy with open investments is missing, and says what to do', async () => {
    const ann = await platform.given.user().withBalance('1000.00');
    await platform.as(ann).post(INVESTMENTS, { strategyId: 'balanced-10', amount: '100.00' });
    await expect(restartWith(without('balanced-10'))).rejects.toThrow(
      'STRATEGIES_FILE: the strategy "balanced-10" is missing, and 1 investment(s) in it are open. ' +
        'Add the strategy again; remove it after these investments are closed.',
    );
  });

  it('stops the start if the file is invalid, and names the strategy, the field and the expected value', async () => {
    await expect(restartWith([{ ...NEW_STRATEGY, apy: 7 }])).rejects.toThrow(
      /STRATEGIES_FILE: .+: strategy "fixed-7": apy must be a decimal string/,
    );
  });

  it('keeps ended investments of a removed strategy, which accepts no new ones and can be added again', async () => {
    const ann = await platform.given.user().withBalance('1000.00');
    const body = { strategyId: 'balanced-10', amount: '100.00' };
    const { id } = (await platform.as(ann).post(INVESTMENTS, body)).data;
    await platform.as(ann).delete(`${INVESTMENTS}/${id}`);

    let url = await restartWith(without('balanced-10'));
    expect((await platform.as(ann, url).get(`${STRATEGIES}/balanced-10`)).code).toBe('STRATEGY_NOT_FOUND');
    expect((await platform.as(ann, url).post(INVESTMENTS, body)).code).toBe('INVALID_STRATEGY');
    expect((await platform.as(ann, url).get(INVESTMENTS)).data).toEqual([
      expect.objectContaining({ id, status: 'closed', strategyName: 'Balanced 10%' }),
    ]);

    await restarted?.stop();
    url = await restartWith(DEFAULTS);
    expect((await platform.as(ann, url).post(INVESTMENTS, body)).status).toBe(201);
  });
});
