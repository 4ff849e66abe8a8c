import type { AppConfig } from '../../config/app-config.js';
import type { SettingName } from '../../config/settings.js';

const HOUR_MS = 3_600_000;
export const SIGN_IN_WINDOW_MS = 900_000;

/** The classes that limit requests, each with the setting of its limit. A caller has a counter in each class. */
const LIMIT_SETTINGS = {
  user: 'RATE_LIMIT_USER',
  admin: 'RATE_LIMIT_ADMIN',
  session: 'RATE_LIMIT_SESSION',
  rpc: 'RATE_LIMIT_RPC',
  faucet: 'RATE_LIMIT_FAUCET',
  public: 'RATE_LIMIT_PUBLIC',
  address: 'RATE_LIMIT_ADDRESS',
  webhook: 'RATE_LIMIT_WEBHOOK',
  'sign-in': 'RATE_LIMIT_SIGN_IN',
} as const satisfies Record<string, SettingName>;

export type LimitedClass = keyof typeof LIMIT_SETTINGS;
/** The class of a route; routes of the class `none` are not limited. */
export type RateClass = LimitedClass | 'none';

export const LIMITED_CLASSES = Object.keys(LIMIT_SETTINGS) as LimitedClass[];

export function rateLimitOf(rateClass: LimitedClass, config: AppConfig): { limit: number; windowMs: number } {
  const windowMs = rateClass === 'sign-in' ? SIGN_IN_WINDOW_MS : HOUR_MS;
  return { limit: config[LIMIT_SETTINGS[rateClass]], windowMs };
}
