import { Money } from '../../../../common/money.js';
import type { TokenTransfer } from '../chain.client.js';
import {
  verifyPayment,
  UNKNOWN_IS_MISMATCH_AFTER_MS,
  type Payment,
  type LookedUpTransaction,
  type TransactionLookup,
} from './chain-check.js';
import { normalizeHash, toEvmHash } from './transaction-hash.js';

const HASH = `0x${'ab'.repeat(32)}`;
const TO = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const ELSEWHERE = '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359';
const TOKEN = '0x5FbDB2315678afecb367f032d93F642f64180aa3';
const CUSTODY = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC';
const OTHER_SENDER = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';

const payment = { to: [TO], amount: Money.of('100.5'), paidBefore: 0, waitedMs: 0 };

function transfer(to: string, amount: string): TokenTransfer {
  return { token: TOKEN, from: CUSTODY, to, amount: Money.of(amount), logIndex: 0 };
}

const checkOf = (lookup: TransactionLookup, expected: Payment) => verifyPayment(lookup, expected).chainCheck;

function transaction(transfers: TokenTransfer[], succeeded: boolean | null = true): LookedUpTransaction {
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

describe('verifyPayment', () => {
  it('matches a transfer of exactly the amount to the address, in any letter case and among other transfers', () => {
    const transfers = [transfer(ELSEWHERE, '100.50'), transfer(TO.toLowerCase(), '100.500000')];
    expect(checkOf(transaction(transfers), payment)).toBe('matched');
  });

  it.each([
    ['a micro-unit less', [transfer(TO, '100.499999')]],
    ['a micro-unit more', [transfer(TO, '100.500001')]],
    ['another recipient', [transfer(ELSEWHERE, '100.5')]],
    ['the amount in two parts', [transfer(TO, '100'), transfer(TO, '0.5')]],
    ['no transfer of USDC', []],
  ])('reports a mismatch for %s', (_, transfers) => {
    expect(checkOf(transaction(transfers), payment)).toBe('mismatch');
  });

  it('reports a mismatch for a reverted transaction and stays unverified while a transaction is pending', () => {
    expect(checkOf(transaction([transfer(TO, '100.5')], false), payment)).toBe('mismatch');
    expect(checkOf(transaction([], null), { ...payment, waitedMs: 10 * UNKNOWN_IS_MISMATCH_AFTER_MS })).toBe(
      'unverified',
    );
  });

  it('stays unverified if the node does not say when the transaction was mined and the payment has an earliest time', () => {
    const withoutTime = { ...transaction([transfer(TO, '100.5')]), minedAt: null };
    const notBefore = new Date('2026-03-02T09:00:00.000Z');
    expect(checkOf(withoutTime, { ...payment, notBefore })).toBe('unverified');
    expect(checkOf({ ...withoutTime, transfers: [] }, { ...payment, notBefore })).toBe('mismatch');
    expect(checkOf(withoutTime, payment)).toBe('matched');
  });

  it('matches one transfer with one payment only', () => {
    const oneTransfer = transaction([transfer(TO, '100.5')]);
    const twoTransfers = transaction([transfer(TO, '100.5'), transfer(TO, '100.5')]);
    expect(checkOf(oneTransfer, { ...payment, paidBefore: 1 })).toBe('mismatch');
    expect(checkOf(twoTransfers, { ...payment, paidBefore: 1 })).toBe('matched');
  });

  it('if any recipient is allowed, matches only a transfer to a known one and reports a mismatch only for a wrong amount', () => {
    const toAnyone = { ...payment, to: [], mayHaveOtherRecipient: true };
    expect(checkOf(transaction([transfer(ELSEWHERE, '100.5')]), toAnyone)).toBe('unverified');
    expect(checkOf(transaction([transfer(ELSEWHERE, '100.4')]), toAnyone)).toBe('mismatch');
    expect(checkOf(transaction([transfer(TO, '100.5')]), { ...toAnyone, to: [ELSEWHERE, TO] })).toBe(
      'matched',
    );
  });

  it('stays unverified for one hour while the hash is unknown, and for as long as the node does not answer', () => {
    const justBefore = { ...payment, waitedMs: UNKNOWN_IS_MISMATCH_AFTER_MS - 1 };
    const afterAnHour = { ...payment, waitedMs: UNKNOWN_IS_MISMATCH_AFTER_MS };
    expect(checkOf('unknown', justBefore)).toBe('unverified');
    expect(checkOf('unknown', afterAnHour)).toBe('mismatch');
    expect(checkOf('unreachable', afterAnHour)).toBe('unverified');
  });
});

describe('verifyPayment, the reason of a mismatch', () => {
  const paid = transaction([transfer(TO, '100.5')]);

  it.each([
    ['the hash is unknown', 'unknown', { waitedMs: UNKNOWN_IS_MISMATCH_AFTER_MS }, 'TRANSACTION_UNKNOWN'],
    ['the transaction was reverted', transaction([], false), {}, 'TRANSACTION_REVERTED'],
    ['no transfer has the amount', transaction([transfer(TO, '1')]), {}, 'NO_SUCH_TRANSFER'],
    ['the transfer has paid an earlier withdrawal', paid, { paidBefore: 1 }, 'TRANSFER_USED_BEFORE'],
    [
      'the block is older than the request',
      paid,
      { notBefore: new Date('2026-03-02T10:00:01.000Z') },
      'OLDER_THAN_REQUEST',
    ],
    ['the sender is not a custody address', paid, { senders: [OTHER_SENDER] }, 'SENDER_NOT_CUSTODY'],
  ] as [string, TransactionLookup, Partial<Payment>, string][])(
    'names the reason when %s',
    (_, lookup, changes, reason) => {
      expect(verifyPayment(lookup, { ...payment, ...changes })).toEqual({ chainCheck: 'mismatch', reason });
    },
  );

  it('accepts a block of the same second and a known sender in other letter case', () => {
    const notBefore = new Date('2026-03-02T10:00:00.999Z');
    const senders = [OTHER_SENDER, CUSTODY.toLowerCase()];
    expect(verifyPayment(paid, { ...payment, notBefore, senders })).toEqual({
      chainCheck: 'matched',
      reason: null,
    });
  });

  it('ignores transfers of unknown senders when it subtracts earlier payments by the same transaction', () => {
    const fromUnknownSender = { ...transfer(TO, '100.5'), from: OTHER_SENDER };
    const both = transaction([fromUnknownSender, transfer(TO, '100.5')]);
    const fromCustody = { ...payment, senders: [CUSTODY] };
    expect(checkOf(both, fromCustody)).toBe('matched');
    expect(verifyPayment(both, { ...fromCustody, paidBefore: 1 }).reason).toBe('TRANSFER_USED_BEFORE');
  });
});

describe('transaction hashes', () => {
  it('are normalised to lower case without surrounding space', () => {
    expect(normalizeHash(`  0x${'AB'.repeat(32)} `)).toBe(HASH);
    expect(normalizeHash('Wire 17')).toBe('Wire 17'); // not of an EVM chain: the letter case may matter
  });

  it('are recognised as EVM hashes only in full length', () => {
    expect(toEvmHash(HASH)).toBe(HASH);
    expect(toEvmHash(HASH.slice('0x'.length))).toBe(HASH);
    expect(toEvmHash(HASH.slice(0, -1))).toBeUndefined();
    expect(toEvmHash('Wire 17')).toBeUndefined();
  });
});
