import { integer } from './readers.js';
import { setting } from './setting.js';

const requestLimit = integer(1, 100_000_000);

/** The limit of each rate class. */
export const RATE_LIMIT_SETTINGS = {
  RATE_LIMIT_USER: setting(
    requestLimit,
    1000,
    'requests per hour and user; counted apart, also of all API keys of a user together',
  ),
  RATE_LIMIT_ADMIN: setting(requestLimit, 10_000, 'requests per hour and admin'),
  RATE_LIMIT_SESSION: setting(
    requestLimit,
    100,
    'sign-ins without a password, refreshes, sign-outs, and wallets that are linked: requests per hour and user, or per network address without a token',
  ),
  RATE_LIMIT_RPC: setting(requestLimit, 100, 'requests to the RPC proxy per hour and network address'),
  RATE_LIMIT_FAUCET: setting(requestLimit, 100, 'requests to the faucet per hour and network address'),
  RATE_LIMIT_PUBLIC: setting(
    requestLimit,
    100,
    'other requests without a token per hour and network address',
  ),
  RATE_LIMIT_PROOFS: setting(
    requestLimit,
    5000,
    'requests to the transparency log per hour and network address',
  ),
  RATE_LIMIT_ADDRESS: setting(requestLimit, 10, 'new deposit addresses per hour and user'),
  RATE_LIMIT_WEBHOOK: setting(requestLimit, 60, 'test events and redeliveries of webhooks per hour and user'),
  RATE_LIMIT_KEY: setting(requestLimit, 1000, 'requests per hour and API key'),
  RATE_LIMIT_SIGN_IN: setting(
    requestLimit,
    5,
    'failed password attempts per 15 minutes and network address; ten times as many per e-mail address',
  ),
} as const;
