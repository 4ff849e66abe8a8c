import { readDestination } from './destination.js';

// Test vectors of EIP-55.
const MIXED_CASE = [
  '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
];
// The checksum puts all letters of the first address in upper case, and all of the second one in lower case.
const UPPER_CASE = '0x52908400098527886E0F7030069857D2E4169EE7';
const LOWER_CASE = '0xde709f2102306220921060314715629080e2fb77';

describe('readDestination', () => {
  it.each(MIXED_CASE)('recognises the valid checksum of %s', (address) => {
    expect(readDestination(address)).toEqual({ address, checksum: 'valid' });
  });

  const all = [...MIXED_CASE, UPPER_CASE, LOWER_CASE];
  it.each(all)('adds the checksum to %s, entered in lower case only or in upper case only', (address) => {
    const lower = address.toLowerCase();
    const upper = `0x${address.slice(2).toUpperCase()}`;
    expect(readDestination(lower)).toEqual({ address, checksum: 'absent' });
    expect(readDestination(upper)).toEqual({ address, checksum: 'absent' });
  });

  it('keeps an address with a wrong checksum as entered', () => {
    const mistyped = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1Beaed'; // one letter in the wrong case
    expect(readDestination(mistyped)).toEqual({ address: mistyped, checksum: 'mismatch' });
  });
});
