/** The name of the platform that authenticators show. */
export const NAME_OF_PLATFORM = 'Stablecoin Investment Platform';

/** A user or an admin who has second factors. */
export interface FactorOwner {
  readonly type: 'user' | 'admin';
  readonly id: string;
}

/** The sign-in that asks for a step-up: only its sessions can use the token. */
export interface StepUpSession extends FactorOwner {
  readonly familyId: string;
}

export const FACTOR_METHODS = ['passkey', 'totp', 'recovery-code'] as const;
export type FactorMethod = (typeof FACTOR_METHODS)[number];

/** A challenge, with the methods by which its account can answer. */
export interface Challenge {
  readonly id: string;
  readonly methods: readonly FactorMethod[];
  /** The options of `navigator.credentials.get`; null without a passkey. */
  readonly options: object | null;
  readonly expiresAt: Date;
}

/** Why a step-up is refused. */
export type StepUpRefusal = 'expired' | 'used' | 'other_details' | 'other_session' | 'other_action';
