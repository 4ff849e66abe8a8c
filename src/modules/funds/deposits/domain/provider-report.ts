import type { Money } from '../../../../common/money.js';
import type { DepositEvidence } from './deposit.state-machine.js';
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
