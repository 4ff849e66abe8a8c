import { Money } from '../common/money.js';
import { type ConfigError, loadConfig } from './app-config.js';
import { SETTINGS } from './settings.js';

const CUSTODY = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';

/** The faults of a configuration that has only these settings, about the setting with this name. */
function faultsAbout(name: string, env: Record<string, string | undefined>): string[] {
  try {
    loadConfig(env);
    return [];
  } catch (error) {
    return (error as ConfigError).faults.filter((fault) => fault.startsWith(name));
  }
}

describe('CUSTODY_ADDRESSES', () => {
  const faults = (NODE_ENV: string, CUSTODY_ADDRESSES?: string) =>
    faultsAbout('CUSTODY_ADDRESSES', { NODE_ENV, CUSTODY_ADDRESSES });

  it.each([undefined, '', '  '])('is required in production and not elsewhere: %j [SEC-314]', (addresses) => {
    expect(faults('production', addresses)).toEqual([
      expect.stringMatching(
        /^CUSTODY_ADDRESSES is not set\. Set it to all addresses from which custody pays/,
      ),
    ]);
    expect(faults('development', addresses)).toEqual([]);
  });

  it('has to name addresses', () => {
    expect(faults('production', CUSTODY)).toEqual([]);
    expect(faults('production', ',')).toEqual([expect.stringMatching(/^CUSTODY_ADDRESSES: "," is not/)]);
  });
});

describe('LARGE_DEPOSIT_ALERT', () => {
  it('is an amount or off', () => {
    const { reader, fallback } = SETTINGS.LARGE_DEPOSIT_ALERT;
    expect(fallback).toEqual(Money.of('100000.00'));
    expect(reader.read('250.50')).toEqual(Money.of('250.50'));
    expect(reader.read('off')).toBe('off');
    expect(reader.read('none')).toBeUndefined();
  });
});
