import { GRANTABLE, permissionsOf, permits } from './permissions.js';

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
])('gives the roles %j the permissions %j', (roles, permissions) => {
  expect(permissionsOf(roles)).toEqual(permissions);
});

it('adds individual permissions to those of the roles, without duplicates', () => {
  expect(permissionsOf(['readonly'], ['transactions:write', 'reports:read'])).toEqual([
    'dashboard:read',
    'reports:read',
    'transactions:write',
  ]);
});

it.each([
  ['transactions:write', true],
  ['investments:write', true],
  ['transactions:wirte', false],
  [17, false],
  [null, false],
])('%p is a grantable permission: %p', (name, isGrantable) => {
  expect(GRANTABLE.includes(name as string)).toBe(isGrantable);
});

it('permits exactly the granted permissions, and everything with *', () => {
  expect(permits(['users:read'], 'users:read')).toBe(true);
  expect(permits(['users:read'], 'users:write')).toBe(false);
  expect(permits(['*'], 'users:delete')).toBe(true);
  expect(permits(['users:read'], '*')).toBe(false);
  expect(permits([], 'users:read')).toBe(false);
});
