import type { DataSource } from 'typeorm';
import type { Customer } from './customers.js';
import { Money } from '../../../src/common/money.js';
import type { Scene } from './two-api-processes.js';

// Jepsen's test of a bank: whoever reads all balances at one moment finds the same sum, whatever is under way.

/** What is wrong with what a read saw; nothing, if all is well. */
export type Read = () => Promise<string | undefined>;

export interface Watched {
  reads: number;
  violations: string[];
}

/** Reads again and again until the work is done, and once more then. */
export async function watch(work: Promise<unknown>, read: Read): Promise<Watched> {
  const watched: Watched = { reads: 0, violations: [] };
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

/** All balances in one snapshot: what users are said to have, and all that the platform's accounts were entered, is nothing. */
export function allBalances(dataSource: DataSource): Read {
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

/** A user's balance as the API tells it: its rules hold in every answer. */
export function balanceOf(scenario: Scene, { user }: Customer): Read {
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

/** The service's own check of all money: nothing that users are owed is off. */
export function integrity({ platform, treasury }: Scene): Read {
  return async () => {
    const { data } = await platform.as(treasury.admin).get('/api/admin/integrity');
    const broken = data.laws.filter((law: any) => law.severity === 'owed' && law.status === 'broken');
    return broken.length === 0 ? undefined : broken.map(({ name }: any) => name).join();
  };
}
