import { integer } from './readers.js';
import { setting } from './setting.js';

const perHour = integer(1, 100_000_000);

/** A part of the table of settings. */
export const RATE_LIMIT_SETTINGS = {
  RATE_LIMIT_USER: setting(perHour, 1000, 'requests per hour and user'),
  RATE_LIMIT_ADMIN: setting(perHour, 10_000, 'requests per hour and admin'),
  RATE_LIMIT_SESSION: setting(
    perHour,
    100,
    'requests to sign in without a password, refresh and sign out per hour and user, or network address',
  ),
  RATE_LIMIT_RPC: setting(perHour, 100, 'requests to the RPC proxy per hour and network address'),
  RATE_LIMIT_FAUCET: setting(perHour, 100, 'requests to the faucet per hour and network address'),
  RATE_LIMIT_PUBLIC: setting(perHour, 100, 'other requests without a token per hour and network address'),
  RATE_LIMIT_PROOFS: setting(perHour, 5000, 'requests to the transparency log per hour and network address'),
  RATE_LIMIT_ADDRESS: setting(perHour, 10, 'new deposit addresses per hour and user'),
  RATE_LIMIT_WEBHOOK: setting(perHour, 60, 'test events and redeliveries of webhooks per hour and user'),
  RATE_LIMIT_KEY: setting(perHour, 1000, 'requests per hour and API key'),
  RATE_LIMIT_SIGN_IN: setting(
    perHour,
    5,
    'failed password attempts per 15 minutes and network address; ten times as many per e-mail',
  ),
} as const;
