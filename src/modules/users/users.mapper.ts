import type { User } from './entities/user.entity.js';
import type { PreferencesResponse, ProfileResponse } from './dto/profile.response.js';
import type { ComplianceFigures } from './domain/compliance.js';
import type { ComplianceResponse } from './dto/compliance.response.js';

/** The preferences that change what the service does; the others are kept for clients. */
const APPLIED = ['notifications.push'];

export function toPreferencesResponse(
  user: Pick<User, 'language' | 'currency' | 'notifyEmail' | 'notifyPush'>,
): PreferencesResponse {
  return {
    language: user.language,
    currency: user.currency,
    notifications: { email: user.notifyEmail, push: user.notifyPush, emailAvailable: false },
    applied: [...APPLIED],
  };
}

export function toProfileResponse(user: User, walletAddress: string | null): ProfileResponse {
  return {
    id: user.id,
    email: user.email,
    name: user.fullName,
    status: user.status,
    walletAddress,
    preferences: toPreferencesResponse(user),
    createdAt: user.createdAt.toISOString(),
    updatedAt: user.updatedAt.toISOString(),
    lastLoginAt: user.lastLoginAt?.toISOString() ?? null,
  };
}

export function toComplianceResponse(figures: ComplianceFigures): ComplianceResponse {
  const { kycStatus, amlChecks, sanctionsList, riskLevel, screenedAt, screeningReference } = figures;
  return {
    kycStatus,
    amlChecks,
    sanctionsList,
    riskLevel,
    screenedAt: screenedAt?.toISOString() ?? null,
    screeningReference,
  };
}
