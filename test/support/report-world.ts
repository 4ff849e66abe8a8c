import type { DataSource } from 'typeorm';
import { Money } from '../../src/kernel/money.js';

// All that the dashboard and the reports are about, row by row.

export interface Moved {
  at: number;
  amount: Money;
  strategyId: string;
}

/** From one instant to another, in milliseconds. */
export interface Range {
  from: number;
  to: number;
}

export interface World {
  users: number[];
  /** Times in which somebody had an open investment. */
  stretches: (Range & { user: string })[];
  principal: Moved[];
  accrued: Moved[];
  managementFees: Moved[];
  performanceFees: Moved[];
  investments: { at: number; strategyId: string; status: string }[];
  settled: { at: number; tookMs: number }[];
  rates: { day: number; strategyId: string; apy: Money }[];
}

interface EntryRow {
  owner_id: string;
  kind: string;
  scope: string;
  amount: string;
  effective_at: Date;
  strategy_id: string | null;
}

export async function readWorld(dataSource: DataSource): Promise<World> {
  const entries = await dataSource.query<EntryRow[]>(
    `select owner_id, kind, scope, entry.amount, entry.effective_at, investment.strategy_id
       from ledger_entry as entry
       join ledger_account as account on account.id = entry.account_id
       join ledger_transaction as posted on posted.id = entry.transaction_id
       left join investment on posted.reference_type = 'investment'
            and investment.id::text = split_part(posted.reference_id, ':', 1) -- a part that was closed adds its number
      where entry.asset = 'USDC' order by entry.id`,
  );
  const moved = (kind: string): Moved[] =>
    entries
      .filter((entry) => entry.kind === kind)
      .map(({ effective_at, amount, strategy_id, scope }) => ({
        at: effective_at.getTime(),
        amount: Money.of(amount),
        strategyId: scope || (strategy_id as string),
      }));
  const users = await dataSource.query<{ created_at: Date }[]>('select created_at from platform_user');
  const investments = await dataSource.query<{ created_at: Date; strategy_id: string; status: string }[]>(
    'select created_at, strategy_id, status from investment',
  );
  const settled = await dataSource.query<{ created_at: Date; completed_at: Date }[]>(
    `select created_at, completed_at from user_transaction
      where type in ('deposit', 'withdrawal') and status = 'completed'`,
  );
  const navs = await dataSource.query<{ day: string; strategy_id: string; apy: string; source: string }[]>(
    'select day, strategy_id, apy, source from strategy_nav',
  );
  return {
    users: users.map(({ created_at }) => created_at.getTime()),
    stretches: stretchesOf(entries.filter(({ kind }) => kind === 'user.invested')),
    principal: moved('user.invested'),
    accrued: moved('strategy.accrued'),
    managementFees: moved('income.management-fee'),
    performanceFees: moved('income.performance-fee'),
    investments: investments.map((row) => ({
      at: row.created_at.getTime(),
      strategyId: row.strategy_id,
      status: row.status,
    })),
    settled: settled.map((row) => ({
      at: row.completed_at.getTime(),
      tookMs: row.completed_at.getTime() - row.created_at.getTime(),
    })),
    rates: navs
      .filter(({ source }) => source !== 'first')
      .map((row) => ({
        day: Date.parse(row.day) - 86_400_000, // of which the growth was
        strategyId: row.strategy_id,
        apy: Money.of(row.apy),
      })),
  };
}

function stretchesOf(entries: EntryRow[]): World['stretches'] {
  const stretches: World['stretches'] = [];
  const held = new Map<string, { since: number; amount: Money }>();
  for (const { owner_id: user, amount, effective_at } of entries) {
    const at = effective_at.getTime();
    const before = held.get(user) ?? { since: at, amount: Money.ZERO };
    const now = before.amount.plus(Money.of(amount));
    if (now.isZero()) {
      stretches.push({ user, from: before.since, to: at });
      held.delete(user);
    } else {
      held.set(user, { since: before.since, amount: now });
    }
  }
  for (const [user, { since }] of held) stretches.push({ user, from: since, to: Infinity });
  return stretches;
}
