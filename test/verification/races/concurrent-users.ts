import {
  sumViolations,
  balanceViolations,
  integrityViolations,
  readDuring,
  type ReadResults,
} from './balance-snapshots.js';
import { ConcurrentUser } from './concurrent-user.js';
import type { SeededRandom } from '../../harness/seeded-random.js';
import type { RaceContext } from './two-api-processes.js';

export interface RunSize {
  users: number;
  /** Concurrent clients per user. */
  clients: number;
  /** Sequential operations per client. */
  operations: number;
}

export interface ConcurrentRun {
  operations: number;
  refusals: number;
  /** Histories without a valid sequential order. */
  contradictions: string[];
  /** Results of the concurrent readers. */
  snapshots: ReadResults;
  balances: ReadResults;
  checks: ReadResults;
}

/** Several clients per user spend, move and take back the same money, with admins and readers at the same time. */
export async function runConcurrentUsers(
  scenario: RaceContext,
  random: SeededRandom,
  size: RunSize,
): Promise<ConcurrentRun> {
  const customers = await Promise.all(Array.from({ length: size.users }, () => ConcurrentUser.of(scenario)));
  const work = Promise.all(
    customers.flatMap((customer) =>
      Array.from({ length: size.clients }, () => customer.act(random.fork(), size.operations)),
    ),
  );
  const eyes = random.fork();
  const [snapshots, balances, checks] = await Promise.all([
    readDuring(work, sumViolations(scenario.platform.dataSource)),
    readDuring(work, () => balanceViolations(scenario, eyes.oneOf(customers))()),
    readDuring(work, integrityViolations(scenario)),
  ]);
  const contradictions = [];
  for (const customer of customers) contradictions.push(...(await customer.contradictions()));
  const answers = customers.flatMap(({ history }) => history.map(({ answer }) => answer));
  const refusals = answers.filter(({ refused }) => refused).length;
  return { operations: answers.length, refusals, contradictions, snapshots, balances, checks };
}
