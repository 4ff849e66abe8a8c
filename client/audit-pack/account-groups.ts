import { demand } from '../encoding.js';

/** The first part of an account's name in the journal, by which hledger and Ledger know its type. */
const GROUPS: Readonly<Record<string, string>> = {
  'asset.deposit-provider': 'assets',
  'asset.custody': 'assets',
  'user.available': 'liabilities',
  'user.invested': 'liabilities',
  'user.reserved': 'liabilities',
  'user.units': 'liabilities',
  'strategy.units': 'equity',
  'strategy.accrued': 'liabilities',
  suspense: 'liabilities',
  'income.management-fee': 'income',
  'income.performance-fee': 'income',
  'income.strategy-yield': 'income',
  'expense.yield': 'expenses',
  conversion: 'equity',
  rounding: 'equity',
};

/** `account`: its parts with `/` or `:` between them, the kind first. */
export function groupOf(account: string): string {
  const [kind] = account.split(/[/:]/, 1) as [string];
  const group = Object.hasOwn(GROUPS, kind) ? GROUPS[kind] : undefined;
  demand(group !== undefined, `${kind} is no kind of account.`);
  return group;
}
