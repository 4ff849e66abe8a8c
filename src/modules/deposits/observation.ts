import type { Money } from '../../common/money.js';
import type { Sighting } from './domain/deposit.state-machine.js';
import {
  canonicalAddress,
  canonicalHash,
  isDepositable,
  isNetwork,
  type DepositCurrency,
  type Network,
} from './networks.js';
import type { ProviderDeposit } from './provider/deposit-provider.js';

/** What became of something that the provider told: it is recorded, or why it changes nothing. */
export type Observation = { readonly recorded: true } | { readonly recorded: false; readonly reason: string };

export const RECORDED: Observation = { recorded: true };

export function ignored(reason: string): Observation {
  return { recorded: false, reason };
}

/** What the provider told, in our own terms. */
export interface Word {
  readonly id: string;
  readonly outcome: Sighting['outcome'];
  readonly network: Network;
  readonly currency: DepositCurrency;
  readonly hash: string;
  readonly address: string;
  readonly senderAddress: string | null;
  readonly amount: Money;
  readonly confirmations: number;
  readonly error: string | null;
}

const OUTCOMES: Record<string, Sighting['outcome']> = {
  Pending: 'underway',
  Processing: 'underway',
  Success: 'succeeded',
  Failed: 'failed',
  Rejected: 'failed',
};

/** The provider's deposit in our own terms, or why there is nothing to record. Pure. */
export function wordOf(told: ProviderDeposit): Word | Extract<Observation, { recorded: false }> {
  const nothing = (reason: string) => ({ recorded: false, reason }) as const;
  const { id, status, network, currency, hash, senderAddress, amount, confirmations, error } = told;
  const outcome = Object.hasOwn(OUTCOMES, status) ? OUTCOMES[status] : undefined;
  if (!outcome) return nothing(`the status ${status} is not known`);
  if (!isNetwork(network)) return nothing(`the network ${network} is not known`);
  if (!isDepositable(currency, network)) return nothing(`${currency} over ${network} is not known`);
  if (hash === null) return nothing('there is no transaction yet');
  const address = canonicalAddress(network, told.address);
  if (!address) return nothing(`the address is none of ${network}`);
  return {
    id,
    outcome,
    network,
    currency,
    hash: canonicalHash(hash),
    address,
    senderAddress,
    amount,
    confirmations,
    error,
  };
}
