import { intersectionOf, parseAdminsFile } from './admins-file.js';

const parse = (entries: unknown) => parseAdminsFile(JSON.stringify(entries));
const ann = { email: 'Ann@example.com', roles: ['admin'] };
const bob = { email: 'bob@example.com', roles: ['operator', 'support'] };

describe('parseAdminsFile', () => {
  it('keys the admins by their e-mail addresses in lower case', () => {
    const { admins, fault } = parse([ann, bob]);
    expect([...admins.keys()]).toEqual(['ann@example.com', 'bob@example.com']);
    expect(fault).toBeUndefined();
    expect(admins.get('ann@example.com')).toMatchObject({ permissions: ['*'], status: 'active' });
  });

  it.each(['', '[{"email": "ann@example.com"', '{}', 'null', '"admins"'])(
    'reports a fault for a file that is no JSON list: %s',
    (text) => {
      expect(parseAdminsFile(text)).toEqual({ admins: new Map(), fault: expect.any(String) });
    },
  );

  it.each([
    null,
    'ann@example.com',
    { roles: ['admin'] },
    { email: 'no address', roles: ['admin'] },
    { email: 'eve@example.com' },
    { email: 'eve@example.com', roles: 'admin' },
    { email: 'eve@example.com', roles: [1] },
    { email: 'eve@example.com', roles: [], passwordHash: 5 },
  ])('reports a fault for the entry %j and returns the valid entries', (entry) => {
    const { admins, fault } = parse([ann, entry, bob]);
    expect([...admins.keys()]).toEqual(['ann@example.com', 'bob@example.com']);
    expect(fault).toContain('entry 2');
    expect(fault).not.toContain('@');
  });

  it('derives ids from the spelling in the file, as versions before the canonical spelling did', () => {
    const idn = { ...ann, email: 'Ann@Bücher.example' };
    const nfd = { ...bob, email: 'rene\u0301@example.com' };
    const [first, second] = [...parse([idn, nfd]).admins.values()];
    expect([first, second]).toMatchObject([
      { email: 'ann@xn--bcher-kva.example', id: 'e7e83293-43b1-5cf4-93fa-ecd582fa556e' },
      { email: 'rené@example.com', id: 'f012534c-d1f1-51eb-8707-e8926645560d' },
    ]);
  });

  it('accepts neither of two entries with one e-mail address', () => {
    const { admins, fault } = parse([ann, bob, { ...ann, email: 'ann@EXAMPLE.com', roles: ['readonly'] }]);
    expect([...admins.keys()]).toEqual(['bob@example.com']);
    expect(fault).toContain('entry 1, 3');
  });
});

describe('intersectionOf', () => {
  const rights = (former: object[], present: object[]) =>
    [...intersectionOf(parse(former).admins, parse(present).admins).values()].map(
      ({ email, roles, permissions, status }) => ({
        email,
        roles,
        permissions: [...permissions].sort(),
        status,
      }),
    );
  const SUPPORT_PERMISSIONS = ['investments:read', 'transactions:read', 'users:read'];

  it('contains no admin that one of the lists lacks', () => {
    expect(rights([ann], [bob])).toEqual([]);
  });

  it.each([
    ['without a permission that only the former list gives', ['admin'], ['support'], [], SUPPORT_PERMISSIONS],
    [
      'without a permission that only the present list gives',
      ['support'],
      ['admin'],
      [],
      SUPPORT_PERMISSIONS,
    ],
    [
      'with the permissions of two different roles that overlap',
      ['operator'],
      ['support'],
      [],
      ['investments:read'],
    ],
    ['with all permissions of equal lists', ['support'], ['support'], ['support'], SUPPORT_PERMISSIONS],
  ])('returns an admin %s', (_what, formerRoles, presentRoles, roles, permissions) => {
    expect(rights([{ ...ann, roles: formerRoles }], [{ ...ann, roles: presentRoles }])).toEqual([
      { email: 'ann@example.com', roles, permissions, status: 'active' },
    ]);
  });

  it('disables an admin that one of the lists disables', () => {
    const disabled = { ...ann, status: 'disabled' };
    for (const [former, present] of [
      [disabled, ann],
      [ann, disabled],
    ] as const)
      expect(rights([former], [present])).toMatchObject([{ status: 'disabled' }]);
  });
});
