import { Money } from '../../common/money.js';
import type { TokenTransfer } from './chain.js';
import {
  isEvmHash,
  judge as verdictOf,
  normalHash,
  UNKNOWN_IS_MISMATCH_AFTER_MS,
  type Payment,
  type SightedTransaction,
  type Sighting,
} from './chain-check.js';

const HASH = `0x${'ab'.repeat(32)}`;
const TO = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const ELSEWHERE = '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359';

const payment = { to: [TO], amount: Money.of('100.5'), paidBefore: 0, waitedMs: 0 };

function transfer(to: string, amount: string): TokenTransfer {
  return { token: ELSEWHERE, from: ELSEWHERE, to, amount: Money.of(amount), logIndex: 0 };
}

const judge = (sighting: Sighting, paid: Payment) => verdictOf(sighting, paid).chainCheck;

function transaction(transfers: TokenTransfer[], succeeded: boolean | null = true): SightedTransaction {
  return {
    hash: HASH,
    succeeded,
    blockNumber: 1,
    confirmations: 1,
    gasUsed: null,
    gasPrice: null,
    transfers,
    minedAt: new Date('2026-03-02T10:00:00.000Z'),
  };
}

describe('what the chain says of a payment', () => {
  it('matches a transfer of exactly the amount to the address, among others and in any letters', () => {
    const transfers = [transfer(ELSEWHERE, '100.50'), transfer(TO.toLowerCase(), '100.500000')];
    expect(judge(transaction(transfers), payment)).toBe('matched');
  });

  it.each([
    ['a micro-unit less', [transfer(TO, '100.499999')]],
    ['a micro-unit more', [transfer(TO, '100.500001')]],
    ['another recipient', [transfer(ELSEWHERE, '100.5')]],
    ['the amount in two parts', [transfer(TO, '100'), transfer(TO, '0.5')]],
    ['no transfer of USDC', []],
  ])('does not match %s', (_, transfers) => {
    expect(judge(transaction(transfers), payment)).toBe('mismatch');
  });

  it('does not match what was reverted, and waits for what is not mined', () => {
    expect(judge(transaction([transfer(TO, '100.5')], false), payment)).toBe('mismatch');
    expect(judge(transaction([], null), { ...payment, waitedMs: 10 * UNKNOWN_IS_MISMATCH_AFTER_MS })).toBe(
      'unverified',
    );
  });

  it('lets one transfer pay one withdrawal', () => {
    const one = transaction([transfer(TO, '100.5')]);
    const two = transaction([transfer(TO, '100.5'), transfer(TO, '100.5')]);
    expect(judge(one, { ...payment, paidBefore: 1 })).toBe('mismatch');
    expect(judge(two, { ...payment, paidBefore: 1 })).toBe('matched');
  });

  it('can not tell a wrong recipient where the payment may have gone anywhere: the amount alone is wrong', () => {
    const anywhere = { ...payment, to: [], orElsewhere: true };
    expect(judge(transaction([transfer(ELSEWHERE, '100.5')]), anywhere)).toBe('unverified');
    expect(judge(transaction([transfer(ELSEWHERE, '100.4')]), anywhere)).toBe('mismatch');
    expect(judge(transaction([transfer(TO, '100.5')]), { ...anywhere, to: [ELSEWHERE, TO] })).toBe('matched');
  });

  it('gives an unknown hash an hour, and a silent node all the time it needs', () => {
    const justBefore = { ...payment, waitedMs: UNKNOWN_IS_MISMATCH_AFTER_MS - 1 };
    const anHour = { ...payment, waitedMs: UNKNOWN_IS_MISMATCH_AFTER_MS };
    expect(judge('unknown', justBefore)).toBe('unverified');
    expect(judge('unknown', anHour)).toBe('mismatch');
    expect(judge('unreachable', anHour)).toBe('unverified');
  });
});

describe('why a transaction is a mismatch', () => {
  const paid = transaction([transfer(TO, '100.5')]);
  const SENDER = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';

  it.each([
    ['the hash is unknown', 'unknown', { waitedMs: UNKNOWN_IS_MISMATCH_AFTER_MS }, 'TRANSACTION_UNKNOWN'],
    ['it was reverted', transaction([], false), {}, 'TRANSACTION_REVERTED'],
    ['it pays something else', transaction([transfer(TO, '1')]), {}, 'NO_SUCH_TRANSFER'],
    ['its transfer has paid before', paid, { paidBefore: 1 }, 'TRANSFER_USED_BEFORE'],
    ['its block is older', paid, { notBefore: new Date('2026-03-02T10:00:01.000Z') }, 'OLDER_THAN_REQUEST'],
    ['its sender is a stranger', paid, { senders: [SENDER] }, 'SENDER_NOT_CUSTODY'],
  ] as [string, Sighting, Partial<Payment>, string][])('is told: %s', (_, sighting, more, reason) => {
    expect(verdictOf(sighting, { ...payment, ...more })).toEqual({ chainCheck: 'mismatch', reason });
  });

  it('is no reason: a block of the same second, and a known sender in other letters', () => {
    const notBefore = new Date('2026-03-02T10:00:00.999Z');
    const senders = [SENDER, ELSEWHERE.toLowerCase()];
    expect(verdictOf(paid, { ...payment, notBefore, senders })).toEqual({
      chainCheck: 'matched',
      reason: null,
    });
  });

  it('ignores transfers of unknown senders when it subtracts earlier payments by the same transaction', () => {
    const strangers = { ...transfer(TO, '100.5'), from: SENDER };
    const both = transaction([strangers, transfer(TO, '100.5')]);
    const known = { ...payment, senders: [ELSEWHERE] };
    expect(judge(both, known)).toBe('matched');
    expect(verdictOf(both, { ...known, paidBefore: 1 }).reason).toBe('TRANSFER_USED_BEFORE');
  });
});

describe('a transaction hash', () => {
  it('has one form', () => {
    expect(normalHash(`  0x${'AB'.repeat(32)} `)).toBe(HASH);
    expect(normalHash('Wire 17')).toBe('Wire 17'); // not of an EVM chain: letters may matter
  });

  it('is known when the chain can not know it', () => {
    expect(isEvmHash(HASH)).toBe(true);
    expect(isEvmHash(HASH.slice(0, -1))).toBe(false);
    expect(isEvmHash('Wire 17')).toBe(false);
  });
});
