import type { Money } from '../../../../common/money.js';
import type { ChainTransaction } from '../../../providers/chain/chain.client.js';
import type { Deposit, DepositAddress } from '../entities/deposit.entity.js';
import { isOpenDeposit, type DepositEvidence } from './deposit.state-machine.js';
import {
  canonicalAddress,
  canonicalHash,
  isDepositable,
  isNetwork,
  type DepositCurrency,
  type Network,
} from './networks.js';

/** A deposit as the provider reports it, by callback or on request. */
export interface ProviderDeposit {
  readonly id: string;
  /** The provider's term: Pending, Processing, Success, Failed, Rejected, or an unknown one. */
  readonly status: string;
  /** Upper case, as is `network`. */
  readonly currency: string;
  readonly network: string;
  readonly address: string;
  readonly senderAddress: string | null;
  /** Null while there is no transaction yet. */
  readonly hash: string | null;
  /** With all decimals; zero for a transfer that moves nothing. */
  readonly amount: Money;
  readonly confirmations: number;
  readonly error: string | null;
  /** When the provider recorded the deposit; null if its message contains no valid time. */
  readonly date: Date | null;
}

export interface IgnoredReport {
  readonly recorded: false;
  readonly reason: string;
}

/** Whether the report was recorded; if not, why it was ignored. */
export type DepositReportResult = { readonly recorded: true } | IgnoredReport;

export const RECORDED: DepositReportResult = { recorded: true };

export function ignoredReport(reason: string): IgnoredReport {
  return { recorded: false, reason };
}

export function isIgnored(report: ProviderReport | IgnoredReport): report is IgnoredReport {
  return 'recorded' in report;
}

/** A validated `ProviderDeposit`. Address and hash have the spelling that the platform stores. */
export interface ProviderReport {
  readonly id: string;
  readonly outcome: DepositEvidence['outcome'];
  readonly network: Network;
  readonly currency: DepositCurrency;
  readonly hash: string;
  readonly address: string;
  readonly senderAddress: string | null;
  readonly amount: Money;
  readonly confirmations: number;
  readonly error: string | null;
}

const OUTCOMES: Record<string, DepositEvidence['outcome']> = {
  Pending: 'underway',
  Processing: 'underway',
  Success: 'succeeded',
  Failed: 'failed',
  Rejected: 'failed',
};

/** Validates a deposit that the provider sent. A deposit that cannot be recorded becomes an ignored report with the reason. */
export function toProviderReport(deposit: ProviderDeposit): ProviderReport | IgnoredReport {
  const { id, status, network, currency, hash, senderAddress, amount, confirmations, error } = deposit;
  const outcome = Object.hasOwn(OUTCOMES, status) ? OUTCOMES[status] : undefined;
  if (!outcome) return ignoredReport(`the status ${status} is not known`);
  if (!isNetwork(network)) return ignoredReport(`the network ${network} is not known`);
  if (!isDepositable(currency, network))
    return ignoredReport(`${currency} cannot be deposited over ${network}`);
  if (hash === null) return ignoredReport('there is no transaction yet');
  if (amount.isZero()) return ignoredReport('the amount is zero'); // such transfers cost a sender nothing but gas
  const address = canonicalAddress(network, deposit.address);
  if (!address) return ignoredReport(`the address is not a valid ${network} address`);
  return {
    id,
    outcome,
    network,
    currency,
    hash: canonicalHash(network, hash),
    address,
    senderAddress,
    amount,
    confirmations,
    error,
  };
}

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
