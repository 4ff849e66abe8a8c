import type { TestUser } from '../../fixtures/given.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';

const PATH = '/api/user/profile';
const START = '2026-03-02T10:00:00.000Z';
const LATER = '2026-03-02T11:30:00.000Z';
/** Preferences with an effect on a platform that sends no e-mail: push switches notifications of earnings and promotions. */
const APPLIED = ['notifications.push', 'language'];

describe('/api/user/profile', () => {
  let platform: TestPlatform;
  let ann: TestUser;

  beforeAll(async () => {
    platform = await startPlatform({ at: START });
  });
  beforeEach(async () => {
    platform.clock.moveTo(START);
    ann = await platform.given.user();
    platform.clock.moveTo(LATER);
  });
  afterAll(() => platform?.stop());

  const profile = async (user = ann) => (await platform.as(user).get(PATH)).data;
  const change = (body?: unknown, user = ann) => platform.as(user).put(PATH, body);

  it('has the language that the first sign-in states, and keeps it at later ones', async () => {
    const invited = { email: 'invited@example.org', status: 'active' };
    const created = await platform.as(await platform.given.admin()).post('/api/admin/users', invited);
    expect(created.status).toBe(201);
    const signIn = async (email: string, body: { language?: string }) => {
      const token = await platform.outside.providers.identity.token({ email });
      return platform.as({ token }).post('/api/auth/idp/login', body);
    };
    const languageAfter = async (email: string, body: { language?: string }) =>
      (await profile((await signIn(email, body)).data)).preferences.language;
    for (const email of ['new@example.org', invited.email]) {
      expect(await languageAfter(email, { language: 'de' })).toBe('de');
      expect(await languageAfter(email, { language: 'en' })).toBe('de');
    }
    expect(await languageAfter('without@example.org', {})).toBe('en');
    expect(await languageAfter('without@example.org', { language: 'de' })).toBe('en');
    expect((await signIn('other@example.org', { language: 'Deutsch' })).code).toBe('VALIDATION_ERROR');
  });

  it('returns the identity provider’s data and the defaults for a new user', async () => {
    const { status, data } = await platform.as(ann).get(PATH);
    expect(status).toBe(200);
    expect(data).toEqual({
      id: ann.id,
      email: ann.email,
      name: 'Test Person',
      status: 'active',
      walletAddress: null,
      preferences: {
        language: 'en',
        currency: 'USD',
        notifications: { email: true, push: true, emailAvailable: false },
        applied: APPLIED,
      },
      createdAt: START,
      updatedAt: START,
      lastLoginAt: START,
    });
  });

  it('stores the given fields and the time of the change', async () => {
    const before = await profile();
    const { status, data } = await change({
      name: 'Ann Müller-O’Neil 安',
      language: 'zh-Hant-TW',
      currency: 'CHF',
      notifications: { email: false, push: false },
    });
    expect(status).toBe(200);
    expect(data).toEqual({
      ...before,
      name: 'Ann Müller-O’Neil 安',
      preferences: {
        language: 'zh-Hant-TW',
        currency: 'CHF',
        notifications: { email: false, push: false, emailAvailable: false },
        applied: APPLIED,
      },
      updatedAt: LATER,
    });
    expect(await profile()).toEqual(data);
  });

  it.each([
    [{ name: 'Bo' }, { name: 'Bo' }, {}],
    [{ language: 'es-419' }, {}, { language: 'es-419' }],
    [{ currency: 'EUR' }, {}, { currency: 'EUR' }],
    [
      { notifications: { push: false } },
      {},
      { notifications: { email: true, push: false, emailAvailable: false } },
    ],
    [
      { notifications: { email: false } },
      {},
      { notifications: { email: false, push: true, emailAvailable: false } },
    ],
    [{ preferences: { language: 'de' } }, {}, { language: 'de' }],
    [
      { name: 'Bo', preferences: { currency: 'EUR', notifications: { push: false } } },
      { name: 'Bo' },
      { currency: 'EUR', notifications: { email: true, push: false, emailAvailable: false } },
    ],
    [{ language: 'de', preferences: { language: 'de' } }, {}, { language: 'de' }],
  ])('with the body %j leaves other fields unchanged', async (body, topLevelFields, preferences) => {
    const before = await profile();
    const { data } = await change(body);
    expect(data).toEqual({
      ...before,
      ...topLevelFields,
      preferences: { ...before.preferences, ...preferences },
      updatedAt: LATER,
    });
  });

  it.each([
    ['an empty object', {}],
    ['no body', undefined],
    ['unchanged values', { name: 'Test Person', language: 'en', notifications: {} }],
  ])('changes nothing with %s', async (_what, body) => {
    const before = await profile();
    expect(await change(body)).toMatchObject({ status: 200, data: before }); // including updatedAt
  });

  it('accepts names of 1 to 200 characters', async () => {
    for (const name of ['x', 'x'.repeat(200), '👩'.repeat(200)]) {
      expect((await change({ name })).data.name).toBe(name);
    }
  });

  const invalidBodies: [string, unknown][] = [
    ['an empty name', { name: '' }],
    ['a blank name', { name: '   ' }],
    ['a name with spaces around it', { name: ' Ann ' }],
    ['a name that is too long', { name: 'x'.repeat(201) }],
    ['a name on two lines', { name: 'Ann\nBo' }],
    ['a name with a bell', { name: 'Ann\u0007' }],
    ['a name with a NUL', { name: 'Ann\u0000' }],
    ['the name null', { name: null }],
    ['a name that is a number', { name: 7 }],
    ['a name that is a list', { name: ['Ann'] }],
    ['a language in words', { language: 'English' }],
    ['a language with an underscore', { language: 'en_US' }],
    ['a language in capitals', { language: 'EN' }],
    ['an empty language', { language: '' }],
    ['a language that is too long', { language: `en-${'a'.repeat(100)}` }],
    ['a language with a line break', { language: 'en\n' }],
    ['the language null', { language: null }],
    ['a currency in small letters', { currency: 'eur' }],
    ['a currency of four letters', { currency: 'USDC' }],
    ['a currency of two letters', { currency: 'EU' }],
    ['a currency in Cyrillic letters', { currency: 'ЕUR' }], // a Cyrillic Е
    ['the currency null', { currency: null }],
    ['notifications that are a flag', { notifications: true }],
    ['a name with a character that reorders text', { name: 'Ann \u2067lamE' }],
    ['notifications that are a list', { notifications: [] }],
    ['notifications in a list', { notifications: [{ push: false }] }],
    ['notifications that are null', { notifications: null }],
    ['a switch that is text', { notifications: { push: 'false' } }],
    ['a switch that is a number', { notifications: { email: 0 } }],
    ['a switch that is null', { notifications: { email: null } }],
    ['an unknown switch', { notifications: { sms: true } }],
    ['an unknown field', { nickname: 'Ann' }],
    ['an e-mail address', { email: 'ann@example.org' }],
    ['a status', { status: 'suspended' }],
    ['another id', { id: '0198b2f0-5f0e-7cc0-8d6a-0d9f2f6f3b11' }],
    ['preferences that are null', { preferences: null }],
    ['an unknown preference', { preferences: { theme: 'dark' } }],
    ['an invalid preference in the form of the response', { preferences: { language: 'x' } }],
    ['two languages', { language: 'de', preferences: { language: 'fr' } }],
    [
      'two values of a switch',
      { notifications: { push: true }, preferences: { notifications: { push: false } } },
    ],
    ['a list', []],
  ];
  it.each(invalidBodies)('with %s is rejected and changes nothing', async (_what, body) => {
    const before = await profile();
    // A valid field beside the invalid one is not stored either.
    const bodyWithValidField = Array.isArray(body) ? body : { currency: 'EUR', ...(body as object) };
    expect(await change(bodyWithValidField)).toMatchObject({ status: 400, code: 'VALIDATION_ERROR' });
    expect(await profile()).toEqual(before);
  });

  it('accepts the preferences as the response has them', async () => {
    await change({ language: 'de', notifications: { push: false } });
    const { preferences } = await profile();
    const { status, data } = await change({ preferences });
    expect(status).toBe(200);
    expect(data.preferences).toEqual(preferences);
  });

  it('names each invalid field, including nested ones', async () => {
    const { body } = await change({ notifications: { push: 'no' }, language: 'x' });
    expect(body.error.details.fields.map(({ field }: { field: string }) => field).sort()).toEqual([
      'language',
      'notifications.push',
    ]);
  });

  it('changes only the caller’s profile', async () => {
    const bob = await platform.given.user();
    const before = await profile(bob);
    await change({ name: 'Ann', currency: 'EUR', notifications: { push: false } });
    expect(await profile(bob)).toEqual(before);
  });

  it('keeps a changed name at the next sign-in', async () => {
    await change({ name: 'Ann' });
    expect((await profile(await platform.given.user(ann.email))).name).toBe('Ann');
  });

  it('keeps all of several concurrent changes', async () => {
    await Promise.all([
      change({ name: 'Ann' }),
      change({ language: 'de' }),
      change({ currency: 'EUR' }),
      change({ notifications: { push: false } }),
      change({ notifications: { email: false } }),
    ]);
    expect(await profile()).toMatchObject({
      name: 'Ann',
      preferences: { language: 'de', currency: 'EUR', notifications: { email: false, push: false } },
    });
  });

  it.each(['get', 'put'] as const)('rejects anonymous callers and admins: %s', async (method) => {
    const admin = await platform.given.admin();
    expect((await platform.as(null)[method](PATH)).code).toBe('TOKEN_MISSING');
    expect((await platform.as(admin)[method](PATH)).code).toBe('FORBIDDEN');
  });
});
