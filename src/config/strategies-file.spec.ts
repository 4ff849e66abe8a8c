import { defaultStrategies, parseStrategies, strategiesFile } from './strategies-file.js';

const ENTRY = {
  id: 'fixed-7',
  name: 'Fixed 7%',
  description: 'Fixed yield.',
  riskLevel: 'low',
  apy: '7.00',
  minAmount: '50.00',
  maxAmount: '5000.00',
  protocols: { pendle: '70.5', curve: '29.5' },
};
const parsed = (...entries: object[]) => parseStrategies(JSON.stringify(entries));

describe('parseStrategies', () => {
  it('reads amounts, rates and weights as exact decimals and keeps the order of protocols', () => {
    const [strategy] = parsed(ENTRY);
    expect(strategy).toMatchObject({ id: 'fixed-7', name: 'Fixed 7%', riskLevel: 'low' });
    expect([strategy?.apy, strategy?.minimum, strategy?.maximum].map(String)).toEqual(['7', '50', '5000']);
    expect(strategy?.protocols.map(({ name, weight }) => `${name} ${weight.toString()}`)).toEqual([
      'pendle 70.5',
      'curve 29.5',
    ]);
  });

  it.each([
    [{ id: 'Fixed 7' }, /^strategy "Fixed 7": id must be at most 50 lower-case letters/],
    [{ id: undefined }, /^strategy 1: id must be/],
    [{ name: '' }, /^strategy "fixed-7": name must be a text of 1 to 100 characters/],
    [{ description: 5 }, /description must be a text of 1 to 500 characters/],
    [{ riskLevel: 'none' }, /riskLevel must be one of low, medium, high/],
    [{ apy: 7 }, /apy must be a decimal string/],
    [{ apy: '-1' }, /apy must be/],
    [{ apy: '1000.01' }, /apy must be from "0" to "1000"/],
    [{ minAmount: '0' }, /minAmount must be above zero/],
    [{ maxAmount: '49.99' }, /maxAmount must be at least minAmount/],
    [{ protocols: {} }, /protocols must be an object .* that add up to 100/],
    [{ protocols: { pendle: '60', curve: '39.99' } }, /protocols must be/],
    [{ protocols: { pendle: '100', curve: '0' } }, /protocols must be/],
    [{ protocols: { pendle: 100 } }, /protocols must be/],
  ])('rejects %j and names the strategy, the field and the expected value', (change, message) => {
    expect(() => parsed({ ...ENTRY, ...change })).toThrow(message);
  });

  it('rejects an empty list, another value than a list, and two strategies with one id', () => {
    expect(() => parsed()).toThrow(/must be a JSON list of 1 to 50 strategies/);
    expect(() => parseStrategies('{}')).toThrow(/must be a JSON list/);
    expect(() => parsed(ENTRY, { ...ENTRY, name: 'Other' })).toThrow(/1 and 2 have the same id "fixed-7"/);
  });
});

describe('strategiesFile', () => {
  it('reads the file at the path, and fails for a path without a file', () => {
    expect(strategiesFile.read('config/strategies.json')).toHaveLength(3);
    expect(() => strategiesFile.read('config/missing.json')).toThrow(/no such file/);
  });

  it('has the three strategies of config/strategies.json as the default', () => {
    expect(defaultStrategies().map(({ id }) => id)).toEqual([
      'conservative-5',
      'balanced-10',
      'aggressive-20',
    ]);
  });
});
