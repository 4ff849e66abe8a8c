import { newId } from '../../src/kernel/ids.js';
import { Money } from '../../src/kernel/money.js';

// What the model of the ledger keeps.

export const MICRO = 6;
export const UNITS = 24;

export class Purse {
  readonly id = newId();
  available = 0n;
  invested = 0n;
  reserved = 0n;
  deposits = 0n;
  withdrawals = 0n;
  earnings = 0n;
  fees = 0n;
}

export type Holding = {
  purse: Purse;
  strategy: number;
  principal: bigint;
  units: bigint;
  investmentId: string;
  open: boolean;
  closings: number;
};
export type Held = { purse: Purse; asset: string; amount: bigint; depositId: string; open: boolean };
export type Payout = {
  purse: Purse;
  amount: bigint;
  withdrawalId: string;
  done?: 'payOut' | 'releaseWithdrawal';
};

export function money(units: bigint, scale = MICRO): Money {
  const digits = (units < 0n ? -units : units).toString().padStart(scale + 1, '0');
  return Money.of(`${units < 0n ? '-' : ''}${digits.slice(0, -scale)}.${digits.slice(-scale)}`);
}
