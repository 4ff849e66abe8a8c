import { MICRO_SCALE, Money } from '../../../../common/money.js';

// Computes the transfers of a treasury run (DEC-36): from the flows of the strategies since the previous run, and from the position of
// the deposit provider.

/** The network whose chain the service can read. Only sweeps of tokens that the provider holds elsewhere use another one. */
export const SETTLEMENT_NETWORK = 'ERC20';

/** sweep: surplus into custody; allocate: invested money into custody; deallocate: money back from custody. */
export const TRANSFER_PURPOSES = ['sweep', 'allocate', 'deallocate'] as const;
export type TransferPurpose = (typeof TRANSFER_PURPOSES)[number];

/** USDC that moved between users and a strategy since the last run. */
export interface StrategyFlow {
  readonly strategyId: string;
  /** Principal that users paid in. */
  readonly invested: Money;
  /** Principal and growth, less fees, that users received. */
  readonly returned: Money;
}

/** USDC at the deposit provider. */
export interface ProviderPosition {
  /** Per network, everything that arrived at the deposit provider, without the treasury's transfers. */
  readonly received: ReadonlyMap<string, Money>;
  /** Per network, the sum that transfers take away, rejected ones excluded; negative if they bring more than they take. */
  readonly moved: ReadonlyMap<string, Money>;
  /** The amount that the deposit provider has to keep for users. */
  readonly owed: Money;
}

export interface PlannedTransfer {
  readonly purpose: TransferPurpose;
  readonly amount: Money;
  readonly network: string;
  readonly strategyId: string | null;
}

/** False for transfers from custody to the deposit provider. */
export function isIntoCustody(purpose: TransferPurpose | null): boolean {
  return purpose !== 'deallocate';
}

/** Positive if users invested more than they received back. */
export function netOf({ invested, returned }: StrategyFlow): Money {
  return invested.minus(returned);
}

/** One transfer for each strategy whose net flow is not zero. */
export function planStrategyTransfers(flows: readonly StrategyFlow[]): PlannedTransfer[] {
  return flows
    .map((flow) => ({ strategyId: flow.strategyId, net: netOf(flow) }))
    .filter(({ net }) => !net.isZero())
    .map(({ strategyId, net }) => ({
      purpose: net.isPositive() ? 'allocate' : 'deallocate',
      amount: net.isPositive() ? net : net.negated(),
      network: SETTLEMENT_NETWORK,
      strategyId,
    }));
}

/**
 * The transfers that balance the deposit provider: sweeps of the surplus, or one transfer of the shortage. `moved` already
 * includes the transfers of the strategies. Sweeps begin with the network that holds most: few are needed, and each costs fees.
 */
export function planBalancingTransfers({ received, moved, owed }: ProviderPosition): PlannedTransfer[] {
  const holdings = [...new Set([...received.keys(), ...moved.keys()])]
    .map((network) => ({ network, held: amountOn(received, network).minus(amountOn(moved, network)) }))
    .sort((a, b) => {
      if (a.held.equals(b.held)) return a.network < b.network ? -1 : 1;
      return a.held.isMoreThan(b.held) ? -1 : 1;
    });
  let surplus = Money.sum(holdings.map(({ held }) => held)).minus(owed);
  const shortage = surplus.negated().roundDown(MICRO_SCALE);
  if (shortage.isPositive())
    return [{ purpose: 'deallocate', amount: shortage, network: SETTLEMENT_NETWORK, strategyId: null }];
  const sweeps: PlannedTransfer[] = [];
  for (const { network, held } of holdings) {
    const amount = Money.min(surplus, held).roundDown(MICRO_SCALE);
    if (!amount.isPositive()) continue;
    surplus = surplus.minus(amount);
    sweeps.push({ purpose: 'sweep', amount, network, strategyId: null });
  }
  return sweeps;
}

/** Adds two sets of amounts, network by network. */
export function addByNetwork(
  sums: ReadonlyMap<string, Money>,
  more: ReadonlyMap<string, Money>,
): Map<string, Money> {
  const networks = new Set([...sums.keys(), ...more.keys()]);
  return new Map(
    [...networks].map((network) => [network, amountOn(sums, network).plus(amountOn(more, network))]),
  );
}

function amountOn(amounts: ReadonlyMap<string, Money>, network: string): Money {
  return amounts.get(network) ?? Money.ZERO;
}
