import { erc20Abi, formatGwei, formatUnits, isAddressEqual, parseEventLogs, type Address } from 'viem';
import type { Transaction, TransactionReceipt } from 'viem';
import { MICRO_SCALE, Money } from '../../../../common/money.js';
import { type TokenTransfer, NOT_MINED, type Mined } from '../chain.client.js';

/** The fields of a receipt that the service reads; nodes of some chains leave some of them out. */
export type NodeReceipt = {
  readonly [Field in 'status' | 'blockNumber' | 'gasUsed' | 'effectiveGasPrice' | 'logs']?:
    TransactionReceipt[Field] | null;
};

/** A transaction that is not mined yet. */
export const PENDING = { succeeded: null, ...NOT_MINED, transfers: [] } as const;

/**
 * Whether the transaction succeeded. A receipt without a status shows success by its logs, since a reverted transaction has none; without
 * status and logs the result is null: it is not known.
 */
export function successOf({ status, logs }: NodeReceipt): boolean | null {
  if (status) return status === 'success';
  return logs && logs.length > 0 ? true : null;
}

/** The block of a transaction; null while it is pending. */
export function blockOf(receipt: NodeReceipt, transaction: Pick<Transaction, 'blockNumber'>): bigint | null {
  return receipt.blockNumber ?? transaction.blockNumber;
}

/** `newestBlock` may be of an earlier state of the chain than the receipt. */
export function minedFieldsOf(receipt: NodeReceipt, block: bigint, newestBlock: bigint): Mined {
  const { gasUsed, effectiveGasPrice } = receipt;
  const blocksAbove = newestBlock > block ? newestBlock - block : 0n;
  return {
    blockNumber: Number(block),
    confirmations: Number(blocksAbove) + 1,
    gasUsed: gasUsed?.toString() ?? null,
    gasPrice: typeof effectiveGasPrice === 'bigint' ? formatGwei(effectiveGasPrice) : null,
  };
}

/**
 * The transfers of the token, with their index among the logs of the transaction. Throws for a receipt without the field `logs`, which
 * does not show whether there are transfers.
 */
export function transfersIn({ logs }: NodeReceipt, token: Address): TokenTransfer[] {
  if (!logs) throw new Error('the receipt has no logs');
  return logs.flatMap((entry, logIndex) => {
    if (!isAddressEqual(entry.address, token)) return [];
    return parseEventLogs({ abi: erc20Abi, eventName: 'Transfer', logs: [entry] }).map(({ args }) => ({
      token,
      from: args.from,
      to: args.to,
      amount: Money.of(formatUnits(args.value, MICRO_SCALE)),
      logIndex,
    }));
  });
}
