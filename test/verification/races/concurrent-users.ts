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
  /** Histories without a valid sequential order, and differences between responses and postings. */
  contradictions: string[];
  /** Concurrent reads of the sum of all balances. */
  snapshots: ReadResults;
  /** Concurrent reads of single users' balances. */
  balances: ReadResults;
  /** Concurrent integrity checks. */
  checks: ReadResults;
}

/** Several clients per user spend, move and return the same money while admins and readers work concurrently. */
export async function runConcurrentUsers(
  scenario: RaceContext,
  random: SeededRandom,
  size: RunSize,
): Promise<ConcurrentRun> {
  const users = await Promise.all(Array.from({ length: size.users }, () => ConcurrentUser.of(scenario)));
  const work = Promise.all(
    users.flatMap((user) =>
      Array.from({ length: size.clients }, () => user.act(random.fork(), size.operations)),
    ),
  );
  const readerRandom = random.fork();
  const [snapshots, balances, checks] = await Promise.all([
    readDuring(work, sumViolations(scenario.platform.dataSource)),
    readDuring(work, () => balanceViolations(scenario, readerRandom.oneOf(users))()),
    readDuring(work, integrityViolations(scenario)),
  ]);
  const contradictions = [];
  for (const user of users) contradictions.push(...(await user.contradictions()));
  const answers = users.flatMap(({ history }) => history.map(({ answer }) => answer));
  const refusals = answers.filter(({ refused }) => refused).length;
  return { operations: answers.length, refusals, contradictions, snapshots, balances, checks };
}
