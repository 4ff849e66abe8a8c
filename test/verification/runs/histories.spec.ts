import { ledgerViolations } from '../../fixtures/ledger-fixtures.js';
import { dayOfBusiness, type DayOfBusiness } from '../races/concurrent-day.js';
import { SeededRandom, SEED } from '../../harness/seeded-random.js';
import { recordGuarantee } from '../../harness/jest/guarantees.js';
import { Scene, TwoApiProcesses } from '../races/two-api-processes.js';

const DAYS = Number(process.env.HISTORIES ?? 20);
const SIZE = { customers: 4, clients: 3, times: 40 };

describe(`histories of the same money at two processes (SEED=${SEED})`, () => {
  const random = new SeededRandom(SEED);
  let twins: TwoApiProcesses;
  let scenario: Scene;

  beforeAll(async () => {
    twins = await TwoApiProcesses.start();
    scenario = await Scene.of(twins, random.fork());
  });
  afterAll(() => twins.stop());

  it('are explained by one order each, every read among them, and the books say the same', async () => {
    const days: DayOfBusiness[] = [];
    for (let day = 0; day < DAYS; day++) {
      const seen = await dayOfBusiness(scenario, random.fork(), SIZE);
      days.push(seen);
      expect(seen.contradictions).toEqual([]);
      for (const watched of [seen.snapshots, seen.balances, seen.checks])
        expect(watched.violations).toEqual([]);
    }
    expect(await ledgerViolations(twins.platform.dataSource)).toEqual([]);
    await scenario.investments.requireMatchingUnits();

    const total = (of: (day: DayOfBusiness) => number) => days.reduce((sum, day) => sum + of(day), 0);
    const [operations, refusals] = [total((day) => day.operations), total((day) => day.refusals)];
    expect(refusals / operations).toBeGreaterThan(0.1); // the money was scarce
    recordGuarantee(
      'G-03',
      `${operations} operations of ${DAYS * SIZE.customers} users, ${refusals} of them refused: 0 contradictions`,
    );
    const [snapshots, balances] = [total((day) => day.snapshots.reads), total((day) => day.balances.reads)];
    recordGuarantee(
      'G-04',
      `${snapshots} snapshots, ${balances} balances, ${total((day) => day.checks.reads)} checks of all money: 0 other sums`,
    );
  });
});
