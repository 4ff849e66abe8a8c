/** The permissions of each role; `*` is all of them. */
const PERMISSIONS_OF_ROLE: Record<string, readonly string[]> = {
  admin: ['*'],
  operator: ['investments:read', 'investments:approve', 'withdrawals:read', 'withdrawals:approve'],
  support: ['users:read', 'investments:read', 'transactions:read'],
  readonly: ['dashboard:read', 'reports:read'],
};

/** Every permission that a route requires; `*` is all of them. */
const PERMISSIONS = [
  '*',
  'users:read',
  'users:write',
  'users:delete',
  'investments:read',
  'investments:approve',
  'withdrawals:read',
  'withdrawals:approve',
  'transactions:read',
  'transactions:write',
  'dashboard:read',
  'reports:read',
  'audit:read',
] as const;
export type Permission = (typeof PERMISSIONS)[number];

/** Every permission that can be granted. No route requires `investments:write`, which the specification defines. */
export const GRANTABLE: readonly string[] = [...PERMISSIONS, 'investments:write'];

/** The permissions of the roles, and those granted individually. */
export function permissionsOf(roles: readonly string[], individual: readonly string[] = []): string[] {
  const ofRoles = Object.entries(PERMISSIONS_OF_ROLE).filter(([role]) => roles.includes(role));
  return [...new Set([...ofRoles.flatMap(([, permissions]) => permissions), ...individual])];
}

export function permits(held: readonly string[], required: Permission): boolean {
  return held.includes('*') || held.includes(required);
}
