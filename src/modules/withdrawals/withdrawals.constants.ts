import { Money } from '../../common/money.js';

/** Withdrawals whose amount is reserved: open ones, and failed ones until their release. SQL over `withdrawal`. */
export const HOLDS_MONEY = `withdrawal.status in ('pending', 'approved', 'processing', 'failed')
  and withdrawal.released_at is null`;

export const SOURCES = ['available', 'investment'] as const;
/** Withdrawals are paid from the available balance; investments are closed first. */
export const SOURCE = 'available';

/** No gas fee is deducted: the user receives the whole amount. */
export const GAS_FEE = Money.ZERO;
