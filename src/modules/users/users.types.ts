/** Only an active user can sign in and use the platform. */
export const USER_STATUSES = ['active', 'suspended', 'inactive'] as const;

export type UserStatus = (typeof USER_STATUSES)[number];
