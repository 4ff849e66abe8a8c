import { Money } from '../../../common/money.js';
import type { TokenTransfer } from '../../blockchain/chain.client.js';
import { bookedAmount, type Pair } from './pairing.js';

/** A transfer that a statement line or a record expects in the transaction. */
interface ExpectedTransfer {
  readonly pair: Pair;
  readonly address: string | null;
  readonly amount: Money;
  readonly logIndex: number | null;
}

/**
 * Divides the transfers of one transaction among the pairs that name the hash of this transaction, and returns the sum of each pair. A transfer
 * counts for one pair at most, so that the same money never proves two of them.
 */
export function assignTransfers(
  transfers: readonly TokenTransfer[],
  pairs: readonly Pair[],
): Map<Pair, Money> {
  const sums = new Map(pairs.map((pair) => [pair, Money.ZERO]));
  const unassigned = new Set(transfers);
  const assign = ({ pair }: ExpectedTransfer, taken: readonly TokenTransfer[]): boolean => {
    for (const transfer of taken) unassigned.delete(transfer);
    sums.set(pair, Money.sum([sums.get(pair) ?? Money.ZERO, ...taken.map(({ amount }) => amount)]));
    return taken.length > 0;
  };
  const toAddress = (expected: ExpectedTransfer) =>
    [...unassigned].filter((transfer) => isReceiver(transfer, expected.address));
  const exact = (expected: ExpectedTransfer) =>
    toAddress(expected)
      .filter(({ amount }) => amount.equals(expected.amount))
      .slice(0, 1);

  const withRecords = pairs.filter(({ records }) => records.length > 0);
  const withoutRecords = pairs.filter(({ records }) => records.length === 0);
  let open = [...withRecords, ...withoutRecords].flatMap(expectedTransfers);
  const pass = (select: (expected: ExpectedTransfer) => TokenTransfer[]) => {
    open = open.filter((expected) => !assign(expected, select(expected)));
  };
  pass((expected) => toAddress(expected).filter(({ logIndex }) => logIndex === expected.logIndex));
  pass((expected) => (expected.address === null ? [] : exact(expected)));
  pass(exact);
  pass(toAddress); // one transfer for several records with the same address, or a different amount
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
