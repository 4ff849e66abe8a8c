import { Money } from '../../src/kernel/money.js';
import { LedgerQueries } from '../../src/modules/ledger/ledger.queries.js';
import { brokenLaws } from './books.js';
import type { TestUser } from './given.js';
import type { TestPlatform } from './platform.js';

export const INVESTMENTS = '/api/user/investments';
/** An id of the right shape that nothing has. */
export const NOBODYS = '0198b2f0-5f0e-7cc0-8d6a-0d9f2f6f3b11';
const DAY_MS = 86_400_000;

/** Investments as the tests make them and look at them. */
export class InvestmentSteps {
  constructor(private readonly platform: TestPlatform) {}

  invest = (user: TestUser, amount: unknown, more: object = {}) =>
    this.platform.as(user).post(INVESTMENTS, { strategyId: 'balanced-10', amount, ...more });

  /** Id of a new investment. */
  made = async (user: TestUser, amount: string, strategyId = 'balanced-10'): Promise<string> =>
    (await this.invest(user, amount, { strategyId })).data.id;

  /** What the ledger says of a user. */
  funds = async (user: TestUser) => {
    const found = await this.platform.app.get(LedgerQueries).fundsOf(user.id);
    return {
      available: found.available.toWire(),
      invested: found.invested.toWire(),
      earnings: found.earnings.toWire(),
      fees: found.fees.toWire(),
    };
  };

  move = (user: TestUser, id: string, strategyId: unknown = 'aggressive-20', at?: string) =>
    this.platform.as(user, at).put(`${INVESTMENTS}/${id}`, { strategyId });

  detail = async (user: TestUser, id: string, at?: string) =>
    (await this.platform.as(user, at).get(`${INVESTMENTS}/${id}`)).data;

  /** The whole answer of the list, oldest first. */
  listed = async (user: TestUser, query = '', at?: string) =>
    (await this.platform.as(user, at).get(`${INVESTMENTS}?orderBy=asc${query}`)).body;

  daysLater = (days: number) => this.platform.clock.advance(days * DAY_MS);

  /** The rules of the balance and the sum of the records of what happened, all from the wire; and the ledger's laws. */
  async requireRules(user: TestUser): Promise<void> {
    const { data } = await this.platform.as(user).get('/api/user/balance');
    const { breakdown } = data;
    const sum = (...texts: string[]) => Money.sum(texts.map((text) => Money.of(text)));
    expect(data.total).toBe(sum(data.available, data.invested).toWire());
    const into = sum(breakdown.deposits, breakdown.earnings);
    const out = sum(breakdown.withdrawals, breakdown.fees, data.invested);
    expect(data.available).toBe(into.minus(out).toWire());
    expect(data.invested).toBe(sum(...data.investments.map(({ amount }: any) => amount)).toWire());
    const { data: records } = await this.platform.as(user).get('/api/user/transactions?limit=100');
    const changes = records.map((record: any) => record.metadata.balanceChange);
    expect(data.available).toBe(sum(...changes).toWire());
    expect(await brokenLaws(this.platform.dataSource)).toEqual([]);
  }

  /** Units that users hold are those of open investments, strategy by strategy. */
  async requireUnits(): Promise<void> {
    const disagreeing = await this.platform.dataSource.query(
      `select asset, held, invested
         from (select asset, sum(balance) as held from ledger_account where kind = 'user.units' group by asset) as held
         full join (select 'UNIT:' || strategy_id as asset, sum(units) as invested
                      from investment where status = 'active' group by strategy_id) as invested using (asset)
        where coalesce(held, 0) <> coalesce(invested, 0)`,
    );
    expect(disagreeing).toEqual([]);
  }
}
