import fc from 'fast-check';
import { Money } from '../../src/common/money.js';
import { DomainEventFixtures } from '../fixtures/domain-event-fixtures.js';
import {
  ANY_YIELD,
  FULL_HISTORY,
  UserHistory,
  historyStep,
  type Step,
} from '../fixtures/random-user-history.js';
import type { TestAdmin, TestUser } from '../fixtures/given.js';
import { startPlatform, type TestPlatform } from '../harness/platform.js';
import { repetitions } from '../harness/repetitions.js';

describe('The figures of a user in /api/admin/users', () => {
  let platform: TestPlatform;
  let admin: TestAdmin;
  let eventFixtures: DomainEventFixtures;

  beforeAll(async () => {
    platform = await startPlatform({
      settings: { INVESTMENT_APPROVAL_THRESHOLD: '800.00', PERFORMANCE_FEE_PERCENT: '10', ...ANY_YIELD },
    });
    admin = await platform.given.admin();
    eventFixtures = new DomainEventFixtures(platform.app);
  });
  afterAll(() => platform?.stop());

  interface Entry {
    kind: string;
    type: string;
    amount: string;
    moved: boolean;
  }

  /**
   * Computes the figures from single ledger entries, independently of the table `user_figures`, and from the growth of open
   * investments in the user's balance.
   */
  async function figuresFromLedger(user: TestUser) {
    const { accruedEarnings } = (await platform.as(user).get('/api/user/balance')).data;
    const entries: Entry[] = await platform.dataSource.query(
      `select account.kind, posted.type, entry.amount, investment.moved_from is not null as moved
         from ledger_entry as entry
         join ledger_account as account on account.id = entry.account_id
         join ledger_transaction as posted on posted.id = entry.transaction_id
         left join investment on investment.id::text = posted.reference_id
        where account.owner_id = $1 and account.asset = 'USDC'`,
      [user.id],
    );
    const sum = (isCounted: (entry: Entry) => boolean) =>
      Money.sum(entries.filter(isCounted).map(({ amount }) => Money.of(amount)));
    const isNew = ({ kind, type, moved }: Entry) =>
      kind === 'user.invested' && type === 'investment' && !moved;
    return {
      totalInvestments: entries.filter(isNew).length,
      totalInvested: sum(isNew).toWire(),
      totalWithdrawn: sum(({ type }) => type === 'withdrawal-completed')
        .negated()
        .toWire(),
      totalEarnings: sum(({ type }) => type === 'earning')
        .plus(Money.of(accruedEarnings))
        .toWire(),
    };
  }

  async function figuresFromApi(user: TestUser) {
    const { data } = await platform.as(admin).get(`/api/admin/users?userId=${user.id}`);
    const [{ totalInvestments, stats }] = data;
    const { totalInvested, totalWithdrawn, totalEarnings } = stats;
    return { totalInvestments, totalInvested, totalWithdrawn, totalEarnings };
  }

  let hasFailedTransaction = false;

  /** Compares the counts of transactions that admins and the user see. */
  async function requireTransactionCounts(user: TestUser): Promise<void> {
    const { stats } = (await platform.as(admin).get(`/api/admin/users/${user.id}`)).data;
    const total = async (query: string) =>
      (await platform.as(user).get(`/api/user/transactions?limit=1${query}`)).body.pagination.total;
    const failed = await total('&status=failed');
    expect([stats.lifetimeTransactions, stats.failedTransactions]).toEqual([await total(''), failed]);
    hasFailedTransaction ||= failed > 0;
  }

  it('agree with the ledger and with user_figures_recomputed after random operations', async () => {
    const changedFigures = new Set<string>();
    await fc.assert(
      fc.asyncProperty(
        fc.array(historyStep, { minLength: 10, maxLength: 40, size: 'max' }),
        async (steps) => {
          const history = new UserHistory(
            platform,
            eventFixtures,
            await platform.given.user().withBalance('2000.00'),
          );
          for (const step of steps) await history.apply(step);
          const figures = await figuresFromApi(history.user);
          expect(figures).toEqual(await figuresFromLedger(history.user));
          await requireTransactionCounts(history.user);
          for (const [name, value] of Object.entries(figures))
            if (Number(value) !== 0) changedFigures.add(name);
        },
      ),
      { numRuns: repetitions(30), examples: [[FULL_HISTORY]] },
    );
    expect([...changedFigures].sort()).toEqual([
      'totalEarnings',
      'totalInvested',
      'totalInvestments',
      'totalWithdrawn',
    ]); // the generated histories changed every figure
    const table = await platform.dataSource.query('select * from user_figures order by user_id');
    const recomputed = await platform.dataSource.query(
      'select * from user_figures_recomputed order by user_id',
    );
    expect(table.map(asWire)).toEqual(recomputed.map(asWire));
    expect(hasFailedTransaction).toBe(true);
  });

  it('agree with the ledger after concurrent operations', async () => {
    const user = await platform.given.user().withBalance('2000.00');
    const histories = Array.from({ length: 4 }, () => new UserHistory(platform, eventFixtures, user));
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(historyStep, historyStep, historyStep, historyStep), {
          minLength: 10,
          maxLength: 20,
          size: 'max',
        }),
        async (rounds) => {
          for (const round of rounds)
            await Promise.all(histories.map((history, index) => history.apply(round[index] as Step)));
          expect(await figuresFromApi(user)).toEqual(await figuresFromLedger(user));
          await requireTransactionCounts(user);
        },
      ),
      { numRuns: repetitions(5) },
    );
  });
});

function asWire(row: Record<string, string | number>): Record<string, string | number> {
  const money = ['total_invested', 'total_withdrawn', 'total_earnings', 'invested'];
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      money.includes(name) ? Money.of(`${value}`).toWire() : value,
    ]),
  );
}
