import { Money } from '../../../../common/money.js';
import type { TokenTransfer } from '../../../providers/chain/chain.client.js';
import { bookedAmount, type Pair } from './pairing.js';

/** A transfer that a statement line or a record expects in the transaction. */
interface ExpectedTransfer {
  readonly pair: Pair;
  readonly address: string | null;
  readonly amount: Money;
  readonly logIndex: number | null;
}

/**
 * Assigns the transfers of one transaction to the pairs whose line or records have the hash of the transaction. Returns the
 * sum of the transfers of each pair. Each transfer is assigned to at most one pair, since it can prove only one of them.
 */
export function assignTransfers(
  transfers: readonly TokenTransfer[],
  pairs: readonly Pair[],
): Map<Pair, Money> {
  const sums = new Map(pairs.map((pair) => [pair, Money.ZERO]));
  const unassigned = new Set(transfers);
  const transfersTo = (expected: ExpectedTransfer) =>
    [...unassigned].filter((transfer) => isReceiver(transfer, expected.address));
  const withEqualAmount = (expected: ExpectedTransfer) =>
    transfersTo(expected)
      .filter(({ amount }) => amount.equals(expected.amount))
      .slice(0, 1);

  // Pairs with records come first: a line of a JSON or CSV statement names no address and would take their transfers.
  const withRecords = pairs.filter(({ records }) => records.length > 0);
  const withoutRecords = pairs.filter(({ records }) => records.length === 0);
  const unmet = new Set([...withRecords, ...withoutRecords].flatMap(expectedTransfers));
  // Each pass assigns transfers to the expected transfers that got none in the passes before it, by a weaker criterion.
  // In all passes the receiver has to be equal, unless the line or record has no address.
  const pass = (select: (expected: ExpectedTransfer) => TokenTransfer[]) => {
    for (const expected of unmet) {
      const selected = select(expected);
      if (selected.length === 0) continue;
      const { pair } = expected;
      sums.set(pair, Money.sum([sums.get(pair) ?? Money.ZERO, ...selected.map(({ amount }) => amount)]));
      for (const transfer of selected) unassigned.delete(transfer);
      unmet.delete(expected);
    }
  };
  // 1. The log index is equal.
  pass((expected) => transfersTo(expected).filter(({ logIndex }) => logIndex === expected.logIndex));
  // 2. The amount is equal, and an address is expected.
  pass((expected) => (expected.address === null ? [] : withEqualAmount(expected)));
  // 3. The amount is equal; no address is expected.
  pass(withEqualAmount);
  // 4. All remaining transfers: the amount differs, or one transfer pays several records.
  pass(transfersTo);
  return sums;
}

function isReceiver({ to }: TokenTransfer, address: string | null): boolean {
  return address === null || to.toLowerCase() === address.toLowerCase();
}

function expectedTransfers(pair: Pair): ExpectedTransfer[] {
  const { line, records } = pair;
  if (records.length === 0 && line)
    return [{ pair, address: line.address, amount: line.amount, logIndex: null }];
  return records.map((record) => ({
    pair,
    address: record.address,
    amount: bookedAmount(record),
    logIndex: record.logIndex,
  }));
}
