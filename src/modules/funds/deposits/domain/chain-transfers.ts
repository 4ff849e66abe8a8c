import type { Money } from '../../../../common/money.js';
import type { ChainTransaction } from '../../../providers/chain/chain.client.js';
import type { DepositAddress } from '../entities/deposit-address.entity.js';
import type { Deposit } from '../entities/deposit.entity.js';
import { isOpenDeposit } from './deposit.state-machine.js';
import type { DepositCurrency } from './networks.js';

/** A transfer of a mined transaction, which may pay a deposit address. */
export interface DepositTransfer {
  readonly currency: Extract<DepositCurrency, 'USDC' | 'ETH'>;
  readonly from: string;
  readonly to: string;
  readonly amount: Money;
  /** Null for ETH. */
  readonly logIndex: number | null;
}

export type AddressOwner = Pick<DepositAddress, 'userId' | 'address'>;

/** The transfers of a transaction; none before it is mined, and none if it was reverted. */
export function transfersOf(transaction: ChainTransaction | undefined): DepositTransfer[] {
  if (!transaction?.succeeded) return [];
  const { transfers, ether } = transaction;
  const tokens = transfers.map(({ from, to, amount, logIndex }): DepositTransfer => ({
    currency: 'USDC',
    from,
    to,
    amount,
    logIndex,
  }));
  const all: DepositTransfer[] = ether ? [{ currency: 'ETH', ...ether, logIndex: null }, ...tokens] : tokens;
  return all.filter(({ amount }) => amount.isPositive());
}

/**
 * True if the chain decides about an ERC20 deposit: USDC, and ETH without a provider's report. ETH that the provider has
 * reported may come from a call inside a contract, which the service cannot read; there the provider decides.
 */
export function isDecidedByChain({ currency, providerDepositId }: Deposit): boolean {
  return currency === 'USDC' || (currency === 'ETH' && providerDepositId === null);
}

/**
 * True if `row`, one of the deposits `rows` of the transaction, records the transfer: owner, currency and log index are equal.
 * The log index is null for ETH, of which a transaction has one transfer. An open deposit that has no log index yet records a
 * transfer of its owner and currency whose log index no other row has.
 */
export function recordsTransfer(
  row: Deposit,
  transfer: DepositTransfer,
  owner: AddressOwner,
  rows: readonly Deposit[],
): boolean {
  if (row.currency !== transfer.currency || row.userId !== owner.userId) return false;
  if (row.logIndex === transfer.logIndex) return true;
  const isRecordedByLogIndex = rows.some(
    ({ logIndex, currency }) => logIndex === transfer.logIndex && currency === transfer.currency,
  );
  return row.logIndex === null && isOpenDeposit(row) && !isRecordedByLogIndex;
}

/** True if the chain still shows the transfer of a recorded USDC deposit. */
export function isShownOnChain(transaction: ChainTransaction | undefined, row: Deposit): boolean {
  if (!transaction?.succeeded) return false;
  return transaction.transfers.some(
    ({ to, amount, logIndex }) =>
      to === row.toAddress && logIndex === row.logIndex && amount.equals(row.amount),
  );
}

/**
 * True if the node has not reached the block that credited the deposit: then its answer proves nothing. The block of
 * the transfer is itself the first confirmation.
 */
export function isNodeBehind(newestBlock: number, { blockNumber, requiredConfirmations }: Deposit): boolean {
  return blockNumber !== null && newestBlock < blockNumber + requiredConfirmations - 1;
}
