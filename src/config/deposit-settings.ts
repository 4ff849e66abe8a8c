import { Money } from '../common/money.js';
import { amount, base64Secret, decimal, integer, orOff, pathSegment, text, url } from './readers.js';
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
