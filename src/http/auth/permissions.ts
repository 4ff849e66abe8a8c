/** What each role may do; `*` is everything. */
const PERMISSIONS_OF_ROLE: Record<string, readonly string[]> = {
  admin: ['*'],
  operator: ['investments:read', 'investments:approve', 'withdrawals:read', 'withdrawals:approve'],
  support: ['users:read', 'investments:read', 'transactions:read'],
  readonly: ['dashboard:read', 'reports:read'],
};

/** Every permission that a route asks for; `*` is all of them. */
export const PERMISSIONS = [
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

/** Every permission that an admin may be given; no route asks for `investments:write`, which the interface names. */
export const GRANTABLE: readonly string[] = [...PERMISSIONS, 'investments:write'];

/** What the roles permit, and what an admin is permitted beside them. */
export function permissionsOf(roles: readonly string[], more: readonly string[] = []): string[] {
  const held = Object.entries(PERMISSIONS_OF_ROLE).filter(([role]) => roles.includes(role));
  return [...new Set([...held.flatMap(([, permissions]) => permissions), ...more])];
}

export function permits(held: readonly string[], needed: Permission): boolean {
  return held.includes('*') || held.includes(needed);
}
