/** What each role may do (part 5 of the interface); `*` is everything. */
const PERMISSIONS_OF_ROLE: Record<string, readonly string[]> = {
  admin: ['*'],
  operator: ['investments:read', 'investments:approve', 'withdrawals:read', 'withdrawals:approve'],
  support: ['users:read', 'investments:read', 'transactions:read'],
  readonly: ['dashboard:read', 'reports:read'],
};

export type Permission =
  | '*'
  | 'users:read'
  | 'users:write'
  | 'users:delete'
  | 'investments:read'
  | 'investments:approve'
  | 'withdrawals:read'
  | 'withdrawals:approve'
  | 'transactions:read'
  | 'transactions:write'
  | 'dashboard:read'
  | 'reports:read'
  | 'audit:read';

export function permissionsOf(roles: readonly string[]): string[] {
  const held = Object.entries(PERMISSIONS_OF_ROLE).filter(([role]) => roles.includes(role));
  return [...new Set(held.flatMap(([, permissions]) => permissions))];
}

export function permits(held: readonly string[], needed: Permission): boolean {
  return held.includes('*') || held.includes(needed);
}
