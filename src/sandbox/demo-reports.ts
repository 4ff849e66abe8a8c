import { Money } from '../common/money.js';
import type { Person } from './demo-client.js';
import { requireEqual, printStep } from './demo-output.js';

interface Dashboard {
  user: { createdAt: string };
  balance: { total: string };
  charts: { portfolioValue: { date: string; value: string }[] };
  quickActions: { action: string; enabled: boolean }[];
}

interface Statement {
  opening: { available: string };
  closing: { available: string };
  movements: { amount: string }[];
}

/** Reads the dashboard with its charts, and a statement whose movements add up to the balance. */
export async function demonstrateReports(user: Person): Promise<void> {
  const dashboard = await user.ask<Dashboard>('GET', '/api/user/dashboard?includeCharts=true&period=30');
  const newest = dashboard.charts.portfolioValue.at(-1);
  requireEqual(newest?.value, dashboard.balance.total, "the chart's last value");
  const possible = dashboard.quickActions.filter(({ enabled }) => enabled).map(({ action }) => action);
  printStep(
    `the user looks at the dashboard; its chart ends at ${newest?.value} USDC; possible now: ${possible.join(', ')}`,
  );

  const since = dashboard.user.createdAt.slice(0, 10);
  const statement = await user.ask<Statement>('GET', `/api/user/statement?format=json&from=${since}`);
  const moved = Money.sum(statement.movements.map(({ amount }) => Money.of(amount)));
  const computed = Money.of(statement.opening.available).plus(moved).toWire();
  requireEqual(statement.closing.available, computed, "the statement's closing balance");
  printStep(`reads a statement of ${statement.movements.length} movements that add up to ${computed} USDC`);
}
