import fc from 'fast-check';
import { Money } from '../../../../common/money.js';
import type { TokenTransfer } from '../../../providers/chain/chain.client.js';
import { compare } from './comparison.js';
import { assignTransfers, pairMovements } from './pairing.js';
import type { BookRecord, StatementLine } from './movement.js';
const AT = new Date('2026-03-02T10:00:00.000Z');

const lineOf = (line: number, amount: string, overrides: Partial<StatementLine> = {}): StatementLine => ({
  line,
  reference: `L-${line}`,
  txHash: '0x1',
  network: null,
  currency: 'USDC',
  direction: 'out',
  amount: Money.of(amount),
  at: AT,
  status: 'settled',
  address: null,
  ...overrides,
});

const recordOf = (id: string, amount: string, overrides: Partial<BookRecord> = {}): BookRecord => ({
  type: 'withdrawal',
  id,
  reference: null,
  txHash: '0x1',
  network: 'ERC20',
  currency: 'USDC',
  direction: 'out',
  status: 'settled',
  amount: Money.of(amount),
  posted: Money.of(amount),
  at: AT,
  address: null,
  logIndex: null,
  isPostedInRange: true,
  ...overrides,
});

/** `1: a b` means that line 1 is paired with the records a and b; `-: a` means that record a has no line. */
const pairsOf = (lines: StatementLine[], records: BookRecord[]): string[] =>
  pairMovements(lines, records).map((pair) =>
    `${pair.line?.line ?? '-'}: ${pair.records.map(({ id }) => id).join(' ')}`.trim(),
  );

describe('pairMovements', () => {
  it.each<[string, StatementLine[], BookRecord[], string[]]>([
    [
      'pairs by amount within one transaction',
      [lineOf(1, '2'), lineOf(2, '1')],
      [recordOf('a', '1'), recordOf('b', '2')],
      ['1: b', '2: a'],
    ],
    [
      'prefers the reference to the amount',
      [lineOf(1, '2', { reference: 'A' })], // the id of record a in upper case
      [recordOf('b', '2'), recordOf('a', '1')],
      ['1: a', '-: b'],
    ],
    [
      'pairs one payment with all records of its transaction',
      [lineOf(1, '3')],
      [recordOf('a', '1'), recordOf('b', '2')],
      ['1: a b'],
    ],
    [
      'pairs the last line of a transaction with all remaining records',
      [lineOf(1, '1'), lineOf(2, '5')],
      [recordOf('a', '1'), recordOf('b', '2'), recordOf('c', '3')],
      ['1: a', '2: b c'],
    ],
    [
      'pairs the records with the first of two equal lines',
      [lineOf(1, '3'), lineOf(2, '3')],
      [recordOf('a', '1'), recordOf('b', '2')],
      ['1: a b', '2:'],
    ],
    [
      'prefers a record on the same network',
      [lineOf(1, '1', { network: 'BEP20' })],
      [recordOf('a', '1'), recordOf('b', '1', { network: 'BEP20' })],
      ['1: b', '-: a'],
    ],
    [
      'pairs by reference alone if the line has no hash',
      [lineOf(1, '1', { reference: 'a', txHash: null })],
      [recordOf('a', '1')],
      ['1: a'],
    ],
    [
      'does not pair different currencies',
      [lineOf(1, '1', { currency: 'USDT', reference: 'a' })],
      [recordOf('a', '1')],
      ['1:', '-: a'],
    ],
    [
      'does not pair different directions',
      [lineOf(1, '1', { direction: 'in', reference: 'a' })],
      [recordOf('a', '1')],
      ['1:', '-: a'],
    ],
    [
      'does not pair by amount alone',
      [lineOf(1, '1', { txHash: null })],
      [recordOf('a', '1', { txHash: null })],
      ['1:', '-: a'],
    ],
  ])('%s', (_, lines, records, pairs) => {
    expect(pairsOf(lines, records)).toEqual(pairs);
  });

  it('uses every line and record once, and the differences of the pairs add up to the difference of the settled sums', () => {
    const movement = fc.record({
      amount: fc.constantFrom('1', '2', '3', '4.000001'),
      txHash: fc.constantFrom('0x1', '0x2', null),
      reference: fc.constantFrom('a', 'b', 'c'),
      status: fc.constantFrom('settled', 'underway', 'failed'),
    } as const);
    fc.assert(
      fc.property(
        fc.array(movement, { maxLength: 8 }),
        fc.array(movement, { maxLength: 8 }),
        (stated, recorded) => {
          const lines = stated.map(({ amount, ...fields }, index) => lineOf(index + 1, amount, fields));
          const records = recorded.map(({ amount, ...fields }, index) =>
            recordOf(`${index}`, amount, fields),
          );
          const pairs = pairMovements(lines, records);
          expect(pairs.flatMap(({ line }) => line ?? [])).toEqual(lines);
          expect(pairs.flatMap((pair) => pair.records).toSorted((a, b) => (a.id < b.id ? -1 : 1))).toEqual(
            records,
          );
          const settledSum = (side: readonly (StatementLine | BookRecord)[]) =>
            Money.sum(side.filter(({ status }) => status === 'settled').map(({ amount }) => amount));
          const differences = Money.sum(pairs.map((pair) => compare(pair).difference));
          expect(differences.toString()).toBe(settledSum(lines).minus(settledSum(records)).toString());
        },
      ),
    );
  });
});

describe('assignTransfers', () => {
  const ann = `0x${'a'.repeat(40)}`;
  const bob = `0x${'b'.repeat(40)}`;
  const transfer = (to: string, amount: string, logIndex: number): TokenTransfer => ({
    token: ann, // neither the token nor the sender is compared
    from: ann,
    to,
    amount: Money.of(amount),
    logIndex,
  });
  /** For each pair the sum of the transfers that are assigned to it. */
  const assignedSums = (
    transfers: TokenTransfer[],
    ...pairs: { line: StatementLine | null; records: BookRecord[] }[]
  ) => [...assignTransfers(transfers, pairs).values()].map(String);
  const pairOf = (...records: BookRecord[]) => ({ line: null, records });

  it.each<[string, string[], string[]]>([
    [
      'assigns by log index first and then by address and amount',
      assignedSums(
        [transfer(ann, '5', 0), transfer(ann, '7', 1), transfer(bob, '7', 2)],
        pairOf(recordOf('a', '7', { address: bob.toUpperCase().replace('0X', '0x') })), // the case does not matter
        pairOf(recordOf('b', '5', { address: ann, logIndex: 1 })), // recorded as 5; log entry 1 shows 7
      ),
      ['7', '7'],
    ],
    [
      'assigns one transfer to one record only',
      assignedSums(
        [transfer(ann, '5', 0)],
        pairOf(recordOf('a', '5', { address: ann })),
        pairOf(recordOf('b', '5', { address: ann })),
      ),
      ['5', '0'],
    ],
    [
      'assigns one transfer to two records that it pays together',
      assignedSums(
        [transfer(ann, '5', 0)],
        pairOf(recordOf('a', '2', { address: ann }), recordOf('b', '3', { address: ann })),
      ),
      ['5'],
    ],
    [
      'assigns transfers that match no record to a line without records',
      assignedSums(
        [transfer(ann, '5', 0), transfer(bob, '6', 1)],
        { line: lineOf(1, '6'), records: [] },
        pairOf(recordOf('a', '5', { address: ann })),
      ),
      ['6', '5'],
    ],
  ])('%s', (_, sums, expected) => {
    expect(sums).toEqual(expected);
  });
});
