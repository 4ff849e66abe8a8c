import type { Money } from '../../../common/money.js';
import type { ProviderDeposit } from '../deposit-provider.client.js';
import type { DepositEvidence } from './deposit.state-machine.js';
import {
  canonicalAddress,
  canonicalHash,
  isDepositable,
  isNetwork,
  type DepositCurrency,
  type Network,
} from './networks.js';

/** The result of a provider's report: it was recorded, or the reason why it changes nothing. */
export type DepositReportResult =
  { readonly recorded: true } | { readonly recorded: false; readonly reason: string };

export const RECORDED: DepositReportResult = { recorded: true };

export function ignoredReport(reason: string): Extract<DepositReportResult, { recorded: false }> {
  return { recorded: false, reason };
}

/** A deposit of the provider, checked and in the platform's terms. */
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

/** Translates a deposit of the provider, or says why there is nothing to record. */
export function toProviderReport(
  deposit: ProviderDeposit,
): ProviderReport | Extract<DepositReportResult, { recorded: false }> {
  const { id, status, network, currency, hash, senderAddress, amount, confirmations, error } = deposit;
  const outcome = Object.hasOwn(OUTCOMES, status) ? OUTCOMES[status] : undefined;
  if (!outcome) return ignoredReport(`the status ${status} is not known`);
  if (!isNetwork(network)) return ignoredReport(`the network ${network} is not known`);
  if (!isDepositable(currency, network)) return ignoredReport(`${currency} over ${network} is not known`);
  if (hash === null) return ignoredReport('there is no transaction yet');
  const address = canonicalAddress(network, deposit.address);
  if (!address) return ignoredReport(`the address is none of ${network}`);
  const details = { senderAddress, amount, confirmations, error };
  return { id, outcome, network, currency, hash: canonicalHash(hash), address, ...details };
}
