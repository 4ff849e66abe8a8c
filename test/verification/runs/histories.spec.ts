import { violatedInvariants } from '../../fixtures/ledger-fixtures.js';
import { runConcurrentUsers, type ConcurrentRun } from '../races/concurrent-users.js';
import { SeededRandom, SEED } from '../../harness/seeded-random.js';
import { recordGuarantee } from '../../harness/jest/guarantees.js';
import { RaceContext, TwoApiProcesses } from '../races/two-api-processes.js';

const DAYS = Number(process.env.HISTORIES ?? 20);
const SIZE = { users: 4, clients: 3, operations: 40 };

describe(`Concurrent histories at two processes (SEED=${SEED})`, () => {
  const random = new SeededRandom(SEED);
  let twoProcesses: TwoApiProcesses;
  let scenario: RaceContext;

  beforeAll(async () => {
    twoProcesses = await TwoApiProcesses.start();
    scenario = await RaceContext.create(twoProcesses, random.fork());
  });
  afterAll(() => twoProcesses.stop());

  it('are linearizable including reads, agree with the ledger, and every snapshot of all balances has the same sum', async () => {
    const days: ConcurrentRun[] = [];
    for (let day = 0; day < DAYS; day++) {
      const seen = await runConcurrentUsers(scenario, random.fork(), SIZE);
      days.push(seen);
      expect(seen.contradictions).toEqual([]);
      for (const watched of [seen.snapshots, seen.balances, seen.checks])
        expect(watched.violations).toEqual([]);
    }
    expect(await violatedInvariants(twoProcesses.platform.dataSource)).toEqual([]);
    await scenario.investments.requireMatchingUnits();

    const total = (of: (day: ConcurrentRun) => number) => days.reduce((sum, day) => sum + of(day), 0);
    const [operations, refusals] = [total((day) => day.operations), total((day) => day.refusals)];
    expect(refusals / operations).toBeGreaterThan(0.1); // the users compete for their money
    recordGuarantee(
      'G-03',
      `${operations} operations of ${DAYS * SIZE.users} users, ${refusals} of them refused: 0 contradictions`,
    );
    const [snapshots, balances] = [total((day) => day.snapshots.reads), total((day) => day.balances.reads)];
    recordGuarantee(
      'G-04',
      `${snapshots} snapshots, ${balances} balances, ${total((day) => day.checks.reads)} checks of all money: 0 other sums`,
    );
  });
});
