/** Only an active user gets in. */
export const USER_STATUSES = ['active', 'suspended', 'inactive'] as const;

export type UserStatus = (typeof USER_STATUSES)[number];
