import { permissionsOf, permits } from './permissions.js';

it.each([
  [['admin'], ['*']],
  [['operator'], ['investments:read', 'investments:approve', 'withdrawals:read', 'withdrawals:approve']],
  [['support'], ['users:read', 'investments:read', 'transactions:read']],
  [['readonly'], ['dashboard:read', 'reports:read']],
  [
    ['support', 'readonly', 'support'],
    ['users:read', 'investments:read', 'transactions:read', 'dashboard:read', 'reports:read'],
  ],
  [['unheard-of'], []],
  [['constructor', '__proto__'], []],
])('the roles %j hold %j', (roles, permissions) => {
  expect(permissionsOf(roles)).toEqual(permissions);
});

it('permits what is held, and everything to *', () => {
  expect(permits(['users:read'], 'users:read')).toBe(true);
  expect(permits(['users:read'], 'users:write')).toBe(false);
  expect(permits(['*'], 'users:delete')).toBe(true);
  expect(permits(['users:read'], '*')).toBe(false);
  expect(permits([], 'users:read')).toBe(false);
});
