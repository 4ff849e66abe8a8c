import type { AppConfig } from '../../../config/app-config.js';
import type { ComplianceResult } from './domain/compliance.js';
import type { ComplianceResponse, PreferencesResponse, ProfileResponse } from './dto/profile.response.js';
import type { TierResponse } from './dto/tier.response.js';
import type { UserTier } from './domain/limit-tier.js';
import type { AccountLockResponse, HoldResponse } from './dto/security-hold.response.js';
import type { User } from './entities/user.entity.js';
import type { AccountLock, SecurityHold } from './users.types.js';
import type { Profile } from './users.repository.js';

/** Preferences that change the platform's behaviour. */
const APPLIED_PREFERENCES = ['notifications.push', 'language'];
/** Preferences that change the platform's behaviour only if it sends e-mail. All others are only stored for clients. */
const APPLIED_TO_MAILS = ['notifications.email'];

export function toProfileResponse(
  { user, walletAddress }: Profile,
  config: Pick<AppConfig, 'sendsMail'>,
): ProfileResponse {
  return {
    id: user.id,
    email: user.email,
    name: user.fullName,
    status: user.status,
    walletAddress,
    preferences: toPreferencesResponse(user, config),
    createdAt: user.createdAt.toISOString(),
    updatedAt: user.updatedAt.toISOString(),
    lastLoginAt: user.lastLoginAt?.toISOString() ?? null,
  };
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

export function toHoldResponse(hold: SecurityHold | null): HoldResponse | null {
  return hold && { until: hold.until.toISOString(), reason: hold.reason };
}

export function toTierResponse({ id, name }: UserTier): TierResponse {
  return { id, name };
}

/** What stops actions of an account, and until when. */
export function toRestrictions({ hold, lock }: { hold: SecurityHold | null; lock: AccountLock | null }): {
  hold: HoldResponse | null;
  locked: AccountLockResponse | null;
} {
  return { hold: toHoldResponse(hold), locked: toLockResponse(lock) };
}

export function toLockResponse(lock: AccountLock | null): AccountLockResponse | null {
  return lock && { since: lock.since.toISOString(), by: lock.by, unlock: lock.unlock };
}

export function toComplianceResponse(result: ComplianceResult): ComplianceResponse {
  const { kycStatus, amlChecks, sanctionsList, riskLevel, screenedAt, screeningReference } = result;
  return {
    kycStatus,
    amlChecks,
    sanctionsList,
    riskLevel,
    screenedAt: screenedAt?.toISOString() ?? null,
    screeningReference,
  };
}
