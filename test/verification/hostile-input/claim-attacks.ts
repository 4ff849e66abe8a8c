import type { SeededRandom } from '../../harness/seeded-random.js';
import { draft, type Attack } from './attack.js';
import { NUMBER_VALUES } from './values.js';

// Invalid and repeated deposit claims (`POST /api/user/blockchain/deposit`).

const ADDRESS = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
/** A hash that several users claim, also in upper case. */
const REPEATED_HASH = `0x${'c1'.repeat(32)}`;

const HASHES: readonly unknown[] = [
  REPEATED_HASH.slice(2),
  REPEATED_HASH.replace('0x', '0X'),
  REPEATED_HASH.toUpperCase(),
  `${REPEATED_HASH}\n`,
  ` ${REPEATED_HASH}`,
  REPEATED_HASH.slice(0, -1),
  `${REPEATED_HASH}0`,
  `0x${'0'.repeat(64)}`,
  `0x${'f'.repeat(64)}`,
  `0x${'g'.repeat(64)}`,
  `0x${'c1'.repeat(31)}\0\0`,
  [REPEATED_HASH],
  { hash: REPEATED_HASH },
  0xc1,
];

const CURRENCIES: readonly unknown[] = ['ETH', 'USDT', 'usdc', 'USD', 'USDC ', '', ['USDC'], null, 'all'];

const SENDERS: readonly unknown[] = [
  ADDRESS.toLowerCase(),
  `0x${'0'.repeat(40)}`,
  `${ADDRESS}0`,
  ADDRESS.slice(2),
  [ADDRESS],
  '',
];

const claim = (name: string, change: (random: SeededRandom) => object): Attack => ({
  name: `claim: ${name}`,
  fits: ({ path }) => path === '/api/user/blockchain/deposit',
  make: (context) => {
    const validClaim = { txHash: REPEATED_HASH, amount: '600.00', currency: 'USDC', fromAddress: ADDRESS };
    return draft(context, { body: { ...validClaim, ...change(context.random) } });
  },
});

export const CLAIM_ATTACKS: readonly Attack[] = [
  claim('hash that is claimed already', () => ({})),
  claim('hash', (random) => ({ txHash: random.oneOf(HASHES) })),
  claim('fields', (random) =>
    random.oneOf([
      { amount: random.oneOf(NUMBER_VALUES), currency: random.oneOf(['USDC', 'ETH']) },
      { currency: random.oneOf(CURRENCIES) },
      { fromAddress: random.oneOf(SENDERS) },
    ]),
  ),
];
