import type { DataSource } from 'typeorm';
import type { ConcurrentUser } from './concurrent-user.js';
import { Money } from '../../../src/common/money.js';
import type { RaceContext } from './two-api-processes.js';

// The bank test of Jepsen: during concurrent transactions, every snapshot of all balances has the same sum.

/** Reads a state once; returns the violation, or undefined without one. */
export type Read = () => Promise<string | undefined>;

export interface ReadResults {
  reads: number;
  violations: string[];
}

/** Reads repeatedly until `work` is done, and once afterwards. */
export async function readDuring(work: Promise<unknown>, read: Read): Promise<ReadResults> {
  const results: ReadResults = { reads: 0, violations: [] };
  let isWorking = true;
  const readOnce = async () => {
    const violation = await read();
    results.reads += 1;
    if (violation !== undefined) results.violations.push(violation);
  };
  const reading = (async () => {
    while (isWorking) await readOnce();
    await readOnce();
  })();
  await work.finally(() => (isWorking = false));
  await reading;
  return results;
}

/** Checks in one snapshot that the stored balances of users and the entries of platform accounts sum to zero per asset. */
export function sumViolations(dataSource: DataSource): Read {
  return async () => {
    const [wrongSum] = await dataSource.query<{ asset: string; sum: string }[]>(
      `select asset, sum(amount) from (
         select asset, balance as amount from ledger_account where balance is not null
         union all
         select entry.asset, amount from ledger_entry as entry join ledger_account as account on account.id = account_id
          where balance is null) as balances
        group by asset having sum(amount) <> 0`,
    );
    return wrongSum && `${wrongSum.asset} sums to ${wrongSum.sum}`;
  };
}

/** Checks that `total` is `available` plus `invested` and the sum of the breakdown, and that `available` is not negative. */
export function balanceViolations(scenario: RaceContext, { user }: ConcurrentUser): Read {
  return async () => {
    const { data, code } = await scenario.platform.as(user).get('/api/user/balance');
    if (!data) return `no balance, but ${code}`;
    const money = (text: string) => Money.of(text);
    const { deposits, withdrawals, earnings, fees } = data.breakdown;
    const sumOfFlows = money(deposits)
      .plus(money(earnings))
      .minus(money(withdrawals))
      .minus(money(fees))
      .toWire();
    const sumOfParts = money(data.available).plus(money(data.invested)).toWire();
    const isValid =
      data.total === sumOfParts && data.total === sumOfFlows && !money(data.available).isNegative();
    return isValid ? undefined : JSON.stringify(data);
  };
}

/** Checks that the integrity report has no violation of severity `owed`, which concerns money owed to users. */
export function integrityViolations({ platform, treasury }: RaceContext): Read {
  return async () => {
    const { data } = await platform.as(treasury.admin).get('/api/admin/integrity');
    const violated = data.laws.filter(
      (invariant: any) => invariant.severity === 'owed' && invariant.status === 'broken',
    );
    return violated.length === 0 ? undefined : violated.map(({ name }: any) => name).join();
  };
}
