import fc from 'fast-check';

// What can be tried on a ledger: facts of every kind about a few users and the three strategies.

export const NAMES = ['conservative-5', 'balanced-10', 'aggressive-20'];
export const USERS = 3;

const who = fc.nat(USERS - 1);
const which = fc.nat(1000); // an open one or an old one, counted around
const strategy = fc.nat(NAMES.length - 1);
const amount = fc.bigInt(1n, 2_000_000_000n); // 0.000001 … 2000
const small = fc.bigInt(-50_000_000n, 50_000_000n); // −50 … 50
const thousandths = fc.bigInt(1n, 999n);
const asset = fc.constantFrom('USDC', 'USDC', 'USDC', 'USDT', 'ETH');
const of = <Kind extends string, Facts extends object>(
  kind: Kind,
  facts: { [K in keyof Facts]: fc.Arbitrary<Facts[K]> },
) => fc.record({ kind: fc.constant(kind), ...facts }) as fc.Arbitrary<{ kind: Kind } & Facts>;

/** One thing that somebody tries, legal or not. */
export const step = fc.oneof(
  { weight: 4, arbitrary: of('deposit', { who, asset, amount, dust: fc.boolean() }) },
  { weight: 1, arbitrary: of('hold', { who, asset, amount }) },
  { weight: 1, arbitrary: of('releaseHeld', { which }) },
  { weight: 4, arbitrary: of('invest', { who, strategy, amount, nav: fc.bigInt(900_000n, 1_500_000n) }) },
  { weight: 2, arbitrary: of('close', { which, growth: small, fees: fc.bigInt(0n, 5_000_000n) }) },
  {
    weight: 3,
    arbitrary: of('closePart', { which, thousandths, growth: small, fees: fc.bigInt(0n, 5_000_000n) }),
  },
  { weight: 1, arbitrary: of('cancel', { which, growth: small }) },
  { weight: 1, arbitrary: of('grow', { strategy, growth: small }) },
  { weight: 1, arbitrary: of('realise', { strategy, amount }) },
  { weight: 3, arbitrary: of('withdraw', { who, amount }) },
  { weight: 2, arbitrary: of('payOut', { which }) },
  { weight: 1, arbitrary: of('releaseWithdrawal', { which }) },
  { weight: 1, arbitrary: of('treasury', { amount: small }) },
  { weight: 2, arbitrary: of('repeat', { which }) },
);
export type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;
