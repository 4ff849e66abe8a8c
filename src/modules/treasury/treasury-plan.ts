import { MICRO_SCALE, Money } from '../../common/money.js';
import type { TransferPurpose } from './domain/transaction-request.state-machine.js';

// Which transfers a run of the treasury asks for. Pure.
//
// Custody holds what is invested and what is about to be paid out; the deposit provider keeps what users may spend.
// So what was invested goes into custody (allocate), what was paid back on closing comes from there (deallocate), and
// whatever then remains at the deposit provider above what it has to keep goes into custody as well (sweep): for the
// most part what is reserved for withdrawals, since custody pays them. What the deposit provider lacks comes back from there
// (deallocate): it was swept for a withdrawal that was then cancelled, or its transfer was rejected.

/** Where operators settle between the two providers: custody is on the chain that the service can read. */
export const SETTLEMENT_NETWORK = 'ERC20';

/** What happened to a strategy's money since the last run. */
export interface StrategyFlow {
  readonly strategyId: string;
  /** Principal that users put in. */
  readonly invested: Money;
  /** What users got out: principal and growth, less fees. */
  readonly returned: Money;
}

/** Where the USDC at the deposit provider stands. */
export interface ProviderPosition {
  /** Per network, everything that arrived there but for the treasury's own transfers. */
  readonly received: ReadonlyMap<string, Money>;
  /** Per network, what transfers that were not rejected take away; what they bring is negative. */
  readonly moved: ReadonlyMap<string, Money>;
  /** What it has to keep. */
  readonly owed: Money;
}

export interface PlannedTransfer {
  readonly purpose: TransferPurpose;
  readonly amount: Money;
  readonly network: string;
  readonly strategyId: string | null;
}

/** False: back from custody to the deposit provider. */
export function isIntoCustody(purpose: TransferPurpose | null): boolean {
  return purpose !== 'deallocate';
}

export function netOf({ invested, returned }: StrategyFlow): Money {
  return invested.minus(returned);
}

/** One transfer for each strategy whose money did not balance out. */
export function planStrategies(flows: readonly StrategyFlow[]): PlannedTransfer[] {
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
 * What evens out the deposit provider, once the transfers of the strategies are counted in: sweeps of what remains, from
 * where most is, first; or one transfer of what it lacks.
 */
export function planRest({ received, moved, owed }: ProviderPosition): PlannedTransfer[] {
  const places = [...new Set([...received.keys(), ...moved.keys()])]
    .map((network) => ({ network, held: at(received, network).minus(at(moved, network)) }))
    .sort((a, b) => (a.held.isMoreThan(b.held) ? -1 : 1));
  let surplus = Money.sum(places.map(({ held }) => held)).minus(owed);
  const lacking = surplus.negated().roundDown(MICRO_SCALE);
  if (lacking.isPositive())
    return [{ purpose: 'deallocate', amount: lacking, network: SETTLEMENT_NETWORK, strategyId: null }];
  return places.flatMap(({ network, held }) => {
    const amount = Money.min(surplus, held).roundDown(MICRO_SCALE);
    if (!amount.isPositive()) return [];
    surplus = surplus.minus(amount);
    return [{ purpose: 'sweep' as const, amount, network, strategyId: null }];
  });
}

function at(amounts: ReadonlyMap<string, Money>, network: string): Money {
  return amounts.get(network) ?? Money.ZERO;
}
