import { readDestination } from './destination.js';

// Examples of EIP-55 itself.
const VALID = [
  '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
  '0x52908400098527886E0F7030069857D2E4169EE7', // upper case only: carries no checksum
  '0xde709f2102306220921060314715629080e2fb77', // lower case only
];

describe('readDestination', () => {
  it.each(VALID.slice(0, 2))('accepts the checksum of %s', (given) => {
    expect(readDestination(given)).toEqual({ address: given, checksum: 'valid' });
  });

  it.each(VALID)('adds the checksum to %s given in one case', (given) => {
    const lower = given.toLowerCase();
    const upper = `0x${given.slice(2).toUpperCase()}`;
    expect(readDestination(lower)).toEqual({ address: given, checksum: 'absent' });
    expect(readDestination(upper)).toEqual({ address: given, checksum: 'absent' });
  });

  it('keeps an address with a wrong checksum as given', () => {
    const given = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1Beaed'; // one letter in the wrong case
    expect(readDestination(given)).toEqual({ address: given, checksum: 'mismatch' });
  });
});
