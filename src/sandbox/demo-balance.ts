import { Money } from '../common/money.js';
import type { Person } from './demo-client.js';
import { requireEqual } from './demo-output.js';

export interface Balance {
  total: string;
  available: string;
  invested: string;
  reserved: string;
  accruedEarnings: string;
  breakdown: { deposits: string; withdrawals: string; earnings: string; fees: string };
}

export function balanceOf(user: Person): Promise<Balance> {
  return user.ask<Balance>('GET', '/api/user/balance');
}

/** Compares available and reserved money with the expected amounts. */
export async function requireBalance(
  user: Person,
  expected: { available: Money; reserved: string },
  when: string,
): Promise<void> {
  const { available, reserved } = await balanceOf(user);
  requireEqual(available, expected.available.toWire(), `the free balance ${when}`);
  requireEqual(reserved, expected.reserved, `what is reserved ${when}`);
}
