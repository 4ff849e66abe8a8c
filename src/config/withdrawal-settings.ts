import { Money } from '../common/money.js';
import { decimal, integer, oneOf } from './readers.js';
import { setting } from './setting.js';

/** The settings of withdrawals and the address book. */
export const WITHDRAWAL_SETTINGS = {
  WITHDRAWAL_MINIMUM: setting(decimal, Money.of('10.00'), 'smallest withdrawal'),
  WITHDRAWAL_DAILY_LIMIT: setting(decimal, Money.of('50000.00'), 'per user in any 24 hours'),
  WITHDRAWAL_FOUR_EYES_ABOVE: setting(
    decimal,
    undefined,
    'from this amount one admin approves and another takes; off when unset',
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
