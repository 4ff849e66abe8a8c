import type { DataSource } from 'typeorm';
import type { ConcurrentUser } from './concurrent-user.js';
import { Money } from '../../../src/common/money.js';
import type { RaceContext } from './two-api-processes.js';

// Jepsen's bank test: the sum of all balances is the same in every snapshot during concurrent transactions.

/** Reads a state and returns the violation, if any. */
export type Read = () => Promise<string | undefined>;

export interface ReadResults {
  reads: number;
  violations: string[];
}

/** Reads repeatedly until `work` is done, and once afterwards. */
export async function readDuring(work: Promise<unknown>, read: Read): Promise<ReadResults> {
  const watched: ReadResults = { reads: 0, violations: [] };
  let working = true;
  const look = async () => {
    const violation = await read();
    watched.reads += 1;
    if (violation !== undefined) watched.violations.push(violation);
  };
  const looking = (async () => {
    while (working) await look();
    await look();
  })();
  await work.finally(() => (working = false));
  await looking;
  return watched;
}

/** In one snapshot the stored balances of users and the entries of platform accounts must sum to zero per asset. */
export function sumViolations(dataSource: DataSource): Read {
  return async () => {
    const [off] = await dataSource.query<{ asset: string; sum: string }[]>(
      `select asset, sum(amount) from (
         select asset, balance as amount from ledger_account where balance is not null
         union all
         select entry.asset, amount from ledger_entry as entry join ledger_account as account on account.id = account_id
          where balance is null) as standing
        group by asset having sum(amount) <> 0`,
    );
    return off && `${off.asset} sums to ${off.sum}`;
  };
}

/** Checks the balance equations of a user's balance in the API. */
export function balanceViolations(scenario: RaceContext, { user }: ConcurrentUser): Read {
  return async () => {
    const { data, code } = await scenario.platform.as(user).get('/api/user/balance');
    if (!data) return `no balance, but ${code}`;
    const money = (text: string) => Money.of(text);
    const { deposits, withdrawals, earnings, fees } = data.breakdown;
    const total = money(deposits).plus(money(earnings)).minus(money(withdrawals)).minus(money(fees)).toWire();
    const parts = money(data.available).plus(money(data.invested)).toWire();
    const isRight = data.total === parts && data.total === total && !money(data.available).isNegative();
    return isRight ? undefined : JSON.stringify(data);
  };
}

/** Violations of severity `owed` in the integrity report. */
export function integrityViolations({ platform, treasury }: RaceContext): Read {
  return async () => {
    const { data } = await platform.as(treasury.admin).get('/api/admin/integrity');
    const broken = data.laws.filter((law: any) => law.severity === 'owed' && law.status === 'broken');
    return broken.length === 0 ? undefined : broken.map(({ name }: any) => name).join();
  };
}
