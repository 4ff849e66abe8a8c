import { Money } from '../common/money.js';
import { limitsFile } from './limits-file.js';
import { amount, integer, oneOf } from './readers.js';
import { setting } from './setting.js';

/** The settings of withdrawals and the address book. The limits of users apply where a tier of LIMITS_FILE leaves one out. */
export const WITHDRAWAL_SETTINGS = {
  WITHDRAWAL_MINIMUM: setting(amount, Money.of('10.00'), 'smallest withdrawal'),
  WITHDRAWAL_DAILY_LIMIT: setting(amount, Money.of('50000.00'), 'per user in any 24 hours'),
  WITHDRAWAL_FOUR_EYES_ABOVE: setting(
    amount,
    undefined,
    'from this amount one admin approves and another takes; off when unset',
  ),
  LIMITS_FILE: setting(
    limitsFile,
    undefined,
    'tiers of limits, read at the start, the first for new users: docs/limits.md; one tier with the limits of these settings when unset',
  ),
  PLATFORM_WITHDRAWAL_PER_DAY: setting(
    amount,
    undefined,
    'for all users together in any 24 hours: further requests wait until there is room or two admins release them; off when unset',
  ),
  SECURITY_HOLD_HOURS: setting(
    integer(0, 8760),
    24,
    'how long after an event that a thief may have caused withdrawals, new addresses, API keys that write and links to wallets are refused; 0: never',
  ),
  WITHDRAWAL_ADDRESS_BOOK: setting(
    oneOf('required', 'optional'),
    'optional' as const,
    "required: withdrawals go only to usable addresses of the user's address book",
  ),
  ADDRESS_DELAY_HOURS: setting(
    integer(0, 8760),
    undefined,
    'how long after its addition an address of the address book is usable; when unset 24 in production and 0 otherwise',
  ),
} as const;
