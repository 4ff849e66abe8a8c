import { Money } from '../common/money.js';
import { limitsFile } from './limits-file.js';
import { amount, base64Secret, decimal, integer, oneOf, orOff, pathSegment, text, url } from './readers.js';
import { REQUIRED, secondOf, setting } from './setting.js';

/** The settings of the deposit provider and of deposits. */
export const DEPOSIT_SETTINGS = {
  DEPOSIT_PROVIDER_NAME: setting(
    pathSegment,
    'crypto2b',
    'path segment of its callbacks, /api/webhooks/<name>',
  ),
  DEPOSIT_PROVIDER_URL: setting(url('http:', 'https:'), REQUIRED, 'address of its API'),
  DEPOSIT_PROVIDER_KEY: setting(text, REQUIRED, 'public key, sent as X-Processing-Key', { isSecret: true }),
  DEPOSIT_PROVIDER_KEY_ALSO: secondOf('DEPOSIT_PROVIDER_KEY', text),
  DEPOSIT_PROVIDER_SECRET: setting(base64Secret, REQUIRED, 'signs requests to it and its callbacks', {
    isSecret: true,
  }),
  DEPOSIT_PROVIDER_SECRET_ALSO: secondOf('DEPOSIT_PROVIDER_SECRET', base64Secret),
  DEPOSIT_POLL_SECONDS: setting(
    integer(1, 3600),
    30,
    'how often open deposits are looked up at the provider and on chain',
  ),
  DUST_THRESHOLD: setting(
    amount,
    Money.of('0.01'),
    'users are notified of stablecoin deposits below it at most once a day',
  ),
  MINIMUM_DEPOSIT: setting(amount, Money.of('500.00'), 'below it a deposit is held until more arrives'),
  LARGE_DEPOSIT_ALERT: setting(
    orOff(amount),
    Money.of('100000.00'),
    'from this amount in USDC an alert reports the credit of a deposit whose chain the service does not read; off: no alerts',
  ),
  CONFIRMATIONS_ERC20: setting(integer(1, 1000), 12, 'confirmations that complete a deposit'),
  CONFIRMATIONS_BEP20: setting(integer(1, 1000), 15, 'confirmations that complete a deposit'),
  CONFIRMATIONS_TRC20: setting(integer(1, 1000), 20, 'confirmations that complete a deposit'),
  USDT_USDC_RATE: setting(decimal('0.5', '2'), Money.of('1'), 'USDC credited for one USDT'),
} as const;

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

const TOLERANCE = decimal('0', '1000');

/** The tolerances of yield reports. */
export const YIELD_SETTINGS = {
  YIELD_TOLERANCE_PERCENT: setting(
    TOLERANCE,
    Money.of('5'),
    'tolerance of yield reports: an admin decides about a reported APY that differs from the target by more percentage points',
  ),
  REALISED_TOLERANCE_PERCENT: setting(
    TOLERANCE,
    Money.of('20'),
    'tolerance of yield reports: an admin decides about a realised amount that differs by more percent, and by more than 1.00 USDC, from the growth of the invested value at the reported APY',
  ),
} as const;
