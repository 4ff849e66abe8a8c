import { Money } from '../common/money.js';
import type { Person } from './demo-client.js';
import { printStep, requireEqual, requireThat } from './demo-output.js';

interface TrialBalance {
  date: string;
  accounts: object[];
  totals: { asset: string; debit: string; credit: string }[];
}

interface ProfitAndLoss {
  income: Record<string, string>;
  expense: Record<string, string>;
  result: string;
}

const BOOKS = '/api/admin/books';

/** Reads the trial balance at the end of last year and the result of that year. If last year has no entries, both are of this year so far. */
export async function demonstrateBooks(accountant: Person): Promise<void> {
  const trialBalance = (query: string) =>
    accountant.ask<TrialBalance>('GET', `${BOOKS}/trial-balance${query}`);
  const now = await trialBalance('');
  const lastYear = await trialBalance(`?date=${Number(now.date.slice(0, 4)) - 1}-12-31`);
  const { date, accounts, totals } = lastYear.accounts.length > 0 ? lastYear : now;
  for (const { asset, debit, credit } of totals) requireEqual(debit, credit, `the sum of debits in ${asset}`);
  requireThat(accounts.length > 0, 'the trial balance has no accounts');
  printStep(
    `reads the trial balance of ${date}: ${accounts.length} accounts, debits equal credits in ${totals.length} assets`,
  );

  const year = date.slice(0, 4);
  const path = `${BOOKS}/profit-and-loss?startDate=${year}-01-01&endDate=${date}`;
  const { income, expense, result } = await accountant.ask<ProfitAndLoss>('GET', path);
  const sumOf = (amounts: Record<string, string>) =>
    Money.sum(Object.values(amounts).map((amount) => Money.of(amount)));
  const computed = sumOf(income).minus(sumOf(expense)).toWire();
  requireEqual(result, computed, 'the result of the year');
  printStep(`reads income and expenses of ${year}: the platform's result is ${result} USDC`);
}
