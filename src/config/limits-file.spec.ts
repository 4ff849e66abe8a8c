import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from './app-config.js';
import { limitsFile, parseTiers } from './limits-file.js';

const TIER = {
  id: 'standard',
  name: 'Standard',
  withdrawal: { minimum: '10.00', perTransaction: '5000.00', perDay: '10000.00', perMonth: '100000.00' },
  investment: { maximum: '50000.00' },
  approvalAbove: '2500.00',
  addressBook: 'required',
  addressDelayHours: 48,
};
const parsed = (...tiers: unknown[]) => parseTiers(JSON.stringify(tiers));

describe('parseTiers', () => {
  it('reads the limits of a tier as exact decimals', () => {
    const [tier] = parsed(TIER);
    expect(tier).toMatchObject({
      id: 'standard',
      name: 'Standard',
      addressBook: 'required',
      addressDelayHours: 48,
    });
    const { minimum, perTransaction, perDay, perMonth } = tier?.withdrawal ?? {};
    expect([minimum, perTransaction, perDay, perMonth].map(String)).toEqual([
      '10',
      '5000',
      '10000',
      '100000',
    ]);
    expect([tier?.investment.maximum, tier?.approvalAbove].map(String)).toEqual(['50000', '2500']);
  });

  it('leaves out absent limits, for which the settings apply, and keeps null, which means no limit', () => {
    expect(parsed({ id: 'a', name: 'A' })).toEqual([{ id: 'a', name: 'A', withdrawal: {}, investment: {} }]);
    const without = { withdrawal: { perTransaction: null, perMonth: null }, investment: { maximum: null } };
    expect(parsed({ id: 'a', name: 'A', ...without, approvalAbove: null })).toEqual([
      { id: 'a', name: 'A', ...without, approvalAbove: null },
    ]);
  });

  it.each([
    [{ id: 'Gold Tier' }, /^\[0\]\.id must be at most 50 lower-case letters/],
    [{ id: undefined }, /^\[0\]\.id must be/],
    [{ name: ' ' }, /^\[0\]\.name must be one line of 1 to 100 characters$/],
    [{ perDay: '1.00' }, /^\[0\]\.perDay is unknown: the fields are id, name, withdrawal/],
    [{ withdrawal: [] }, /^\[0\]\.withdrawal must be an object with minimum, perTransaction/],
    [{ withdrawal: { perMonht: '1.00' } }, /^\[0\]\.withdrawal\.perMonht is unknown/],
    [{ withdrawal: { perDay: 10_000 } }, /^\[0\]\.withdrawal\.perDay must be a decimal string/],
    [
      { withdrawal: { perDay: null } },
      /^\[0\]\.withdrawal\.perDay must be a decimal string .*such as "10\.00"$/,
    ],
    [
      { withdrawal: { perMonth: '-1' } },
      /^\[0\]\.withdrawal\.perMonth must be .*, or null for no such limit$/,
    ],
    [{ withdrawal: { perDay: '1e3' } }, /perDay must be/],
    [{ withdrawal: { perDay: '0.0000001' } }, /perDay must be/],
    [{ withdrawal: { perDay: '1000000000000.01' } }, /perDay must be/],
    [
      { withdrawal: { minimum: '20.00', perTransaction: '19.99' } },
      /perTransaction must be at least withdrawal\.minimum, which is 20\.00/,
    ],
    [{ investment: { max: '1.00' } }, /^\[0\]\.investment\.max is unknown: the fields are maximum$/],
    [{ investment: { maximum: 5 } }, /^\[0\]\.investment\.maximum must be/],
    [{ approvalAbove: false }, /^\[0\]\.approvalAbove must be/],
    [{ addressBook: 'always' }, /^\[0\]\.addressBook must be one of optional, required$/],
    [{ addressDelayHours: 1.5 }, /^\[0\]\.addressDelayHours must be a whole number from 0 to 8760$/],
    [{ addressDelayHours: '24' }, /addressDelayHours must be a whole number/],
    [{ addressDelayHours: 8761 }, /addressDelayHours must be a whole number/],
  ])('refuses %j and names the path in the file', (fields, message) => {
    expect(() => parsed({ ...TIER, ...fields })).toThrow(message);
  });

  it('names every wrong value at once', () => {
    const second = { ...TIER, id: 'second', withdrawal: { perDay: 5 } };
    expect(() => parsed({ ...TIER, addressBook: 1 }, second)).toThrow(
      /^\[0\]\.addressBook must be .*; \[1\]\.withdrawal\.perDay must be/,
    );
  });

  it('refuses two tiers with the same id, an empty list, and anything that is no list of objects', () => {
    expect(() => parsed(TIER, TIER)).toThrow('[1].id is "standard", as is [0].id: rename one');
    expect(() => parsed()).toThrow('it must be a JSON list of 1 to 50 tiers, the first one for new users');
    expect(() => parseTiers('{}')).toThrow('it must be a JSON list');
    expect(() => parsed('standard')).toThrow(/^\[0\] must be an object with id, name/);
    expect(() => parseTiers('[')).toThrow(/JSON/);
  });
});

describe('LIMITS_FILE', () => {
  it('can be pasted from docs/limits.md', () => {
    const [, example = ''] = /```json\n(.*?)```/s.exec(readFileSync('docs/limits.md', 'utf8')) ?? [];
    expect(parseTiers(example).map(({ id }) => id)).toEqual(['basic', 'verified']);
  });

  it('is one of the faults of the configuration if it has a wrong value or does not exist', () => {
    const folder = mkdtempSync(join(tmpdir(), 'limits-'));
    try {
      const path = join(folder, 'limits.json');
      writeFileSync(path, JSON.stringify([{ ...TIER, approvalAbove: 5 }]));
      expect(() => loadConfig({ LIMITS_FILE: path })).toThrow(
        /LIMITS_FILE: ".*limits\.json": \[0\]\.approvalAbove must be a decimal string/,
      );
      expect(() => loadConfig({ LIMITS_FILE: join(folder, 'none.json') })).toThrow(/LIMITS_FILE: .*ENOENT/);
      writeFileSync(path, JSON.stringify([TIER]));
      expect(limitsFile.read(path)).toHaveLength(1);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
