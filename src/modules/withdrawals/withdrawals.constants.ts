import { DAY_MS } from '../../common/durations.js';
import { Money } from '../../common/money.js';

/**
 * Withdrawals that count against the daily limit: all but rejected and cancelled ones, and failed ones until their
 * release. SQL over `withdrawal as counted`.
 */
export const COUNTS_AGAINST_LIMIT = `counted.status <> 'rejected' and counted.released_at is null`;
export const LIMIT_WINDOW_MS = DAY_MS;

/** Withdrawals whose amount is reserved: open ones, and failed ones until their release. SQL over `withdrawal`. */
export const HOLDS_MONEY = `withdrawal.status in ('pending', 'approved', 'processing', 'failed')
  and withdrawal.released_at is null`;

export const SOURCES = ['available', 'investment'] as const;
/** Withdrawals are paid from the available balance; investments are closed first. */
export const SOURCE = 'available';

/** No gas fee is deducted: the user receives the whole amount. */
export const GAS_FEE = Money.ZERO;

export const MAX_NOTE_LENGTH = 500;
