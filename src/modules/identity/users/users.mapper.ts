import type { AppConfig } from '../../../config/app-config.js';
import { type PreferencesResponse, ProfileResponse } from './dto/user.response.js';
import type { User } from './entities/user.entity.js';
import type { Profile } from './users.repository.js';
import { toResponse } from '../../../http/response/to-response.js';

/** Preferences that change the platform's behaviour. */
const APPLIED_PREFERENCES = ['notifications.push', 'language'];
/** Preferences that change the platform's behaviour only if it sends e-mail. All others are only stored for clients. */
const APPLIED_TO_MAILS = ['notifications.email'];

export function toProfileResponse(
  { user, walletAddress }: Profile,
  config: Pick<AppConfig, 'sendsMail'>,
): ProfileResponse {
  return toResponse(ProfileResponse, user, {
    name: user.fullName,
    walletAddress,
    preferences: toPreferencesResponse(user, config),
  });
}

export function toPreferencesResponse(
  user: Pick<User, 'language' | 'currency' | 'notifyEmail' | 'notifyPush'>,
  { sendsMail }: Pick<AppConfig, 'sendsMail'>,
): PreferencesResponse {
  return {
    language: user.language,
    currency: user.currency,
    notifications: { email: user.notifyEmail, push: user.notifyPush, emailAvailable: sendsMail },
    applied: [...APPLIED_PREFERENCES, ...(sendsMail ? APPLIED_TO_MAILS : [])],
  };
}
