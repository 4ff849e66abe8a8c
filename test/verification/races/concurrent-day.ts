import { allBalances, balanceOf, integrity, watch, type Watched } from './balance-snapshots.js';
import { Customer } from './customers.js';
import type { SeededRandom } from '../../harness/seeded-random.js';
import type { Scene } from './two-api-processes.js';

export interface Size {
  customers: number;
  /** Who act in each one's name at once. */
  clients: number;
  /** What each of them does, one after another. */
  times: number;
}

export interface DayOfBusiness {
  operations: number;
  refusals: number;
  /** What the customers' histories can not explain. */
  contradictions: string[];
  /** What readers saw meanwhile. */
  snapshots: Watched;
  balances: Watched;
  checks: Watched;
}

/** Customers spend, move and take back the same money at once, admins decide about it, and readers look on. */
export async function dayOfBusiness(
  scenario: Scene,
  random: SeededRandom,
  size: Size,
): Promise<DayOfBusiness> {
  const customers = await Promise.all(Array.from({ length: size.customers }, () => Customer.of(scenario)));
  const work = Promise.all(
    customers.flatMap((customer) =>
      Array.from({ length: size.clients }, () => customer.act(random.fork(), size.times)),
    ),
  );
  const eyes = random.fork();
  const [snapshots, balances, checks] = await Promise.all([
    watch(work, allBalances(scenario.platform.dataSource)),
    watch(work, () => balanceOf(scenario, eyes.oneOf(customers))()),
    watch(work, integrity(scenario)),
  ]);
  const contradictions = [];
  for (const customer of customers) contradictions.push(...(await customer.contradictions()));
  const answers = customers.flatMap(({ history }) => history.map(({ answer }) => answer));
  const refusals = answers.filter(({ refused }) => refused).length;
  return { operations: answers.length, refusals, contradictions, snapshots, balances, checks };
}
