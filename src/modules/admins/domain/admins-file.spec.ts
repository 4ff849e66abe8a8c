import { lesserOf, parseAdminsFile } from './admins-file.js';

const parse = (entries: unknown) => parseAdminsFile(JSON.stringify(entries));
const ann = { email: 'Ann@example.com', roles: ['admin'] };
const bob = { email: 'bob@example.com', roles: ['operator', 'support'] };

describe('a file of admins', () => {
  it('lists them by their addresses in lower case', () => {
    const { admins, fault } = parse([ann, bob]);
    expect([...admins.keys()]).toEqual(['ann@example.com', 'bob@example.com']);
    expect(fault).toBeUndefined();
    expect(admins.get('ann@example.com')).toMatchObject({ permissions: ['*'], status: 'active' });
  });

  it.each(['', '[{"email": "ann@example.com"', '{}', 'null', '"admins"'])('has a fault: %s', (text) => {
    expect(parseAdminsFile(text)).toEqual({ admins: new Map(), fault: expect.any(String) });
  });

  it.each([
    null,
    'ann@example.com',
    { roles: ['admin'] },
    { email: 'no address', roles: ['admin'] },
    { email: 'eve@example.com' },
    { email: 'eve@example.com', roles: 'admin' },
    { email: 'eve@example.com', roles: [1] },
    { email: 'eve@example.com', roles: [], passwordHash: 5 },
  ])('has a fault, and valid entries all the same, with the entry %j', (entry) => {
    const { admins, fault } = parse([ann, entry, bob]);
    expect([...admins.keys()]).toEqual(['ann@example.com', 'bob@example.com']);
    expect(fault).toContain('entry 2');
    expect(fault).not.toContain('@');
  });

  it('takes neither of two entries with one address', () => {
    const { admins, fault } = parse([ann, bob, { ...ann, email: 'ann@EXAMPLE.com', roles: ['readonly'] }]);
    expect([...admins.keys()]).toEqual(['bob@example.com']);
    expect(fault).toContain('entry 1, 3');
  });
});

describe('the lesser of two lists', () => {
  const rights = (former: object[], present: object[]) =>
    [...lesserOf(parse(former).admins, parse(present).admins).values()].map(
      ({ email, roles, permissions, status }) => ({
        email,
        roles,
        permissions: [...permissions].sort(),
        status,
      }),
    );
  const SUPPORT = ['investments:read', 'transactions:read', 'users:read'];

  it('has nobody who is missing in one of them', () => {
    expect(rights([ann], [bob])).toEqual([]);
  });

  it.each([
    ['what was taken away', ['admin'], ['support'], [], SUPPORT],
    ['nothing that was given', ['support'], ['admin'], [], SUPPORT],
    ['what both permit', ['operator'], ['support'], [], ['investments:read']],
    ['what has not changed', ['support'], ['support'], ['support'], SUPPORT],
  ])('permits %s', (_what, before, after, roles, permissions) => {
    expect(rights([{ ...ann, roles: before }], [{ ...ann, roles: after }])).toEqual([
      { email: 'ann@example.com', roles, permissions, status: 'active' },
    ]);
  });

  it('makes nobody active who was disabled', () => {
    const disabled = { ...ann, status: 'disabled' };
    for (const [former, present] of [
      [disabled, ann],
      [ann, disabled],
    ] as const)
      expect(rights([former], [present])).toMatchObject([{ status: 'disabled' }]);
  });
});
