import { violatedInvariants } from '../../fixtures/ledger-fixtures.js';
import { runConcurrentUsers, type ConcurrentRun } from '../races/concurrent-users.js';
import { SeededRandom, SEED } from '../../harness/seeded-random.js';
import { recordGuarantee } from '../../harness/jest/guarantees.js';
import { RaceContext, TwoApiProcesses } from '../races/two-api-processes.js';

const RUNS = Number(process.env.HISTORIES ?? 20);
const SIZE = { users: 4, clients: 3, operations: 40 };

describe(`Concurrent histories at two processes (SEED=${SEED})`, () => {
  const random = new SeededRandom(SEED);
  let twoProcesses: TwoApiProcesses;
  let scenario: RaceContext;

  beforeAll(async () => {
    twoProcesses = await TwoApiProcesses.start();
    scenario = await RaceContext.create(twoProcesses, random.fork());
  });
  afterAll(() => twoProcesses?.stop());

  it('are linearizable including reads, agree with the ledger, and every snapshot of all balances has the same sum', async () => {
    const runs: ConcurrentRun[] = [];
    for (let count = 0; count < RUNS; count++) {
      const run = await runConcurrentUsers(scenario, random.fork(), SIZE);
      runs.push(run);
      expect(run.contradictions).toEqual([]);
      for (const { violations } of [run.snapshots, run.balances, run.checks]) expect(violations).toEqual([]);
    }
    expect(await violatedInvariants(twoProcesses.platform.dataSource)).toEqual([]);
    await scenario.investments.requireMatchingUnits();

    const total = (count: (run: ConcurrentRun) => number) => runs.reduce((sum, run) => sum + count(run), 0);
    const operations = total((run) => run.operations);
    const refusals = total((run) => run.refusals);
    expect(refusals / operations).toBeGreaterThan(0.1); // the clients of a user compete for the same money
    recordGuarantee(
      'G-03',
      `${operations} operations of ${RUNS * SIZE.users} users, ${refusals} of them refused: 0 contradictions`,
    );
    const snapshots = total((run) => run.snapshots.reads);
    const balances = total((run) => run.balances.reads);
    recordGuarantee(
      'G-04',
      `${snapshots} snapshots, ${balances} reads of balances, ${total((run) => run.checks.reads)} integrity checks: 0 violations`,
    );
  });
});
