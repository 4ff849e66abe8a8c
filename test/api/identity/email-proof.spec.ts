import { IDP_LOGIN, signInWith } from '../../fixtures/identities.js';
import { newWallet, WalletSteps } from '../../fixtures/wallets.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';

const ADMIN = 'admin@example.com';
const VERIFIED_METADATA = { email_verified: undefined, user_metadata: { email_verified: true } };

let emailCount = 0;
const newEmail = () => `proof-${++emailCount}@example.org`;

describe('The proof of an e-mail address by the identity provider', () => {
  let platform: TestPlatform;

  beforeAll(async () => {
    platform = await startPlatform();
  });
  afterAll(() => platform?.stop());

  const statusOf = async (claims: Record<string, unknown>, email = newEmail()) => {
    const { status, code } = await signInWith(platform, { email, claims });
    return code ?? status;
  };

  it.each([
    ['true', true],
    ['the text "true"', 'true'],
  ])('is %s in the claim email_verified', async (_, value) => {
    expect(await statusOf({ email_verified: value })).toBe(200);
  });

  it.each([false, 'false', 'TRUE', ' true', '1', 1, '', null, [true], { value: true }, undefined])(
    'is not %j in the claim email_verified',
    async (value) => expect(await statusOf({ email_verified: value })).toBe('EMAIL_NOT_VERIFIED'),
  );

  it('is by default no claim that users can write [SEC-300]', async () => {
    expect(await statusOf(VERIFIED_METADATA)).toBe('EMAIL_NOT_VERIFIED');
    expect(await statusOf(VERIFIED_METADATA, ADMIN)).toBe('EMAIL_NOT_VERIFIED');
  });
});

describe('IDP_EMAIL_VERIFIED_CLAIM', () => {
  let platform: TestPlatform;
  const NAMES =
    'https://example.com/user_metadata.proof, user_metadata.email_verified, https://example.com/email_verified, checks.email.done';

  beforeAll(async () => {
    platform = await startPlatform({ settings: { IDP_EMAIL_VERIFIED_CLAIM: NAMES } });
  });
  afterAll(() => platform?.stop());

  const statusOf = async (claims: Record<string, unknown>, email = newEmail(), path = IDP_LOGIN) => {
    const request = { email, claims: { email_verified: undefined, ...claims } };
    const { status, code } = await signInWith(platform, request, path);
    return code ?? status;
  };

  it.each([
    ['a path with dots', { user_metadata: { email_verified: true } }],
    ['a longer path', { checks: { email: { done: 'true' } } }],
    ['a URL with dots', { 'https://example.com/email_verified': 'true' }],
    ['a whole name with dots', { 'checks.email.done': true }],
  ])('names a claim by %s', async (_, claims) => expect(await statusOf(claims)).toBe(200));

  it('tries a name whole before it tries the name as a path', async () => {
    const path = { checks: { email: { done: true } } };
    expect(await statusOf({ ...path, 'checks.email.done': false })).toBe('EMAIL_NOT_VERIFIED');
  });

  it('replaces the default, so that email_verified alone proves nothing', async () => {
    expect(await statusOf({ email_verified: true })).toBe('EMAIL_NOT_VERIFIED');
  });

  it('lets the first of the named claims that the token has decide', async () => {
    const second = { 'https://example.com/email_verified': true };
    expect(await statusOf({ user_metadata: { email_verified: false }, ...second })).toBe(
      'EMAIL_NOT_VERIFIED',
    );
    expect(await statusOf({ user_metadata: {}, ...second })).toBe(200);
  });

  it.each([
    ['a text', { checks: 'text' }],
    ['a list', { checks: ['email', 'done'] }],
    ['null', { checks: null }],
  ])('finds no claim in %s', async (_, claims) => expect(await statusOf(claims)).toBe('EMAIL_NOT_VERIFIED'));

  it.each([
    ['user_metadata', { user_metadata: { email_verified: true } }],
    ['a claim whose whole name begins with user_metadata', { 'user_metadata.email_verified': true }],
    ['user_metadata of a namespace', { 'https://example.com/user_metadata.proof': true }],
  ])('never proves the address of an admin by %s', async (_, claims) => {
    for (const path of [IDP_LOGIN, '/api/auth/wallet/register'])
      for (const email of [ADMIN, ADMIN.toUpperCase()])
        expect(await statusOf(claims, email, path)).toBe('EMAIL_NOT_VERIFIED');
    expect(await statusOf(claims)).toBe(200);
  });

  it('never proves the address of an admin by a claim that users can write [SEC-301]', async () => {
    const claims = { user_metadata: { email_verified: true } };
    expect(await statusOf(claims, ADMIN)).toBe('EMAIL_NOT_VERIFIED');
    // What users wrote counts as absent for admins, also where it says false.
    const byProvider = { 'https://example.com/email_verified': true };
    expect(await statusOf({ user_metadata: { email_verified: false }, ...byProvider }, ADMIN)).toBe(200);
  });

  it('proves the address of a user who registers a wallet', async () => {
    const wallet = newWallet();
    const steps = new WalletSteps(platform);
    const token = await platform.outside.providers.identity.token({
      email: newEmail(),
      claims: { email_verified: undefined, user_metadata: { email_verified: true } },
    });
    const signed = await steps.signChallenge(wallet);
    expect((await platform.as({ token }).post('/api/auth/wallet/register', signed)).status).toBe(201);
  });
});
