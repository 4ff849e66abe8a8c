import { Logger } from '@nestjs/common';
import { jwtVerify } from 'jose';
import { AppConfig } from '../../../config/app-config.js';
import { DAY_MS } from '../../../common/durations.js';
import { DISCOVERY_PATH, KEYS_PATH, TokenIssuer } from '../../../../test/fixtures/token-issuer.js';
import { skipTime } from '../../../../test/harness/skip-time.js';
import { IdentityProviderKeysClient, KeySetFault } from './identity-provider.client.js';

const PAUSE_MS = 2001; // after a failed fetch
const COOLDOWN_MS = 10_001; // after a successful one
const MAX_AGE_MS = 600_001;

let issuer: TokenIssuer;
beforeAll(() => {
  jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined); // each fault is logged
});
beforeEach(async () => {
  issuer = await TokenIssuer.start('ES256');
});
afterEach(() => issuer.stop());
afterAll(() => {
  jest.restoreAllMocks();
});

const clientWith = (settings: Partial<AppConfig> = {}) =>
  new IdentityProviderKeysClient(new AppConfig({ IDP_ISSUER: issuer.url, ...settings } as AppConfig));
const token = () => issuer.token({ email: 'ann@example.org' });
/** "verified", or the error of the verification: its code, or the text of a fault of the key set. */
const outcomeOf = (keys: IdentityProviderKeysClient, jwt: string) =>
  jwtVerify(jwt, keys.findKey).then(
    () => 'verified',
    (error: Error & { code?: string }) => (error instanceof KeySetFault ? error.message : error.code),
  );
const faultOf = (keys: IdentityProviderKeysClient) =>
  keys.reload().then(
    () => undefined,
    (error: Error) => error.message,
  );

describe('The key set of the identity provider', () => {
  it('is found by OpenID discovery from the issuer alone', async () => {
    expect(await outcomeOf(clientWith(), await token())).toBe('verified');
    expect(issuer.requests).toEqual([DISCOVERY_PATH, KEYS_PATH]);
  });

  it('is read from IDP_JWKS_URL without discovery', async () => {
    const keys = clientWith({ IDP_ISSUER: 'any text', IDP_JWKS_URL: issuer.keySetUrl });
    expect(await outcomeOf(keys, await token())).toBe('verified');
    expect(issuer.requests).toEqual([KEYS_PATH]);
  });

  it('is not read from the discovery document of another issuer [SEC-503]', async () => {
    const keys = clientWith({ IDP_ISSUER: issuer.url.replace(/\/$/, '') });
    expect(await outcomeOf(keys, await token())).toMatch(/^names another issuer/);
    expect(issuer.requests).toEqual([DISCOVERY_PATH]);
  });

  it.each([
    ['a relative address', '/keys'],
    ['a file', 'file:///keys'],
    ['no address', undefined],
  ])('is not read from %s in the discovery document', async (_, url) => {
    const document = { issuer: issuer.url, jwks_uri: url };
    issuer.answers.set(DISCOVERY_PATH, (response) => response.end(JSON.stringify(document)));
    expect(await faultOf(clientWith())).toBe('has no valid jwks_uri in its discovery document');
  });

  it.each([
    [
      '302',
      (path: string) => [path, 302, ''],
      /^redirects its .+ \(status 302\) to an address that is not followed$/,
    ],
    ['404', (path: string) => [path, 404, '{}'], /^answers with status 404 in place of its /],
    [
      'an HTML page',
      (path: string) => [path, 200, '\n<!doctype html>'],
      /^answers with an HTML page in place of its /,
    ],
    ['text', (path: string) => [path, 200, 'hello'], /^answers with text that is not JSON in place of its /],
    [
      'null',
      (path: string) => [path, 200, 'null'],
      /another issuer|^answers with other JSON in place of its key set$/,
    ],
    [
      'other JSON',
      (path: string) => [path, 200, '{"hello":"world"}'],
      /another issuer|^answers with other JSON/,
    ],
    ['no keys', () => [KEYS_PATH, 200, '{"keys":[]}'], /^has no keys in its key set$/],
  ])(
    'is not read from %s, and a verification reports the same as a health check',
    async (_, answer, fault) => {
      for (const path of [DISCOVERY_PATH, KEYS_PATH]) {
        const [at, status, body] = answer(path) as [string, number, string];
        issuer.answers.clear();
        issuer.answers.set(at, (response) =>
          response.writeHead(status, { location: issuer.keySetUrl, 'content-type': 'text/plain' }).end(body),
        );
        const keys = clientWith();
        expect(await faultOf(keys)).toMatch(fault);
        expect(await outcomeOf(keys, await token())).toMatch(fault);
      }
    },
  );

  it('contains the new key 10 seconds after the last fetch, and a withdrawn one for 10 minutes at most', async () => {
    const keys = clientWith();
    const old = await token();
    expect(await outcomeOf(keys, old)).toBe('verified');
    await issuer.rotateKeys('RS256');
    expect(await outcomeOf(keys, await token())).toBe('ERR_JWKS_NO_MATCHING_KEY');
    expect(await outcomeOf(keys, old)).toBe('verified');
    skipTime(COOLDOWN_MS);
    expect(await outcomeOf(keys, await token())).toBe('verified');
    expect(await outcomeOf(keys, old)).toBe('ERR_JWKS_NO_MATCHING_KEY');

    await issuer.rotateKeys('EdDSA');
    const last = await token();
    skipTime(MAX_AGE_MS);
    expect(await outcomeOf(keys, old)).toBe('ERR_JWKS_NO_MATCHING_KEY');
    expect(await outcomeOf(keys, last)).toBe('verified');
  });

  it('is read once per 10 seconds for tokens with unknown keys [SEC-504]', async () => {
    const keys = clientWith({ IDP_JWKS_URL: issuer.keySetUrl });
    await outcomeOf(keys, await token());
    const stranger = await TokenIssuer.start('ES256');
    const unknown = await stranger.token({ iss: issuer.url });
    await stranger.stop();
    skipTime(COOLDOWN_MS);
    for (let i = 0; i < 5; i++) expect(await outcomeOf(keys, unknown)).toBe('ERR_JWKS_NO_MATCHING_KEY');
    expect(issuer.requests).toEqual([KEYS_PATH, KEYS_PATH]);
  });
});

describe('An outage of the identity provider', () => {
  it.each([
    ['no connection', () => issuer.breakDown()],
    ['no keys', () => issuer.answers.set(KEYS_PATH, (response) => response.end('{"keys":[]}'))],
  ])('with %s leaves the cached keys valid for a day', async (_, begin) => {
    const keys = clientWith();
    const known = await token();
    expect(await outcomeOf(keys, known)).toBe('verified');
    begin();
    skipTime(MAX_AGE_MS);
    expect(await outcomeOf(keys, known)).toBe('verified');
    skipTime(DAY_MS - MAX_AGE_MS - 60_000);
    expect(await outcomeOf(keys, known)).toBe('verified');
    skipTime(60_001);
    expect(await outcomeOf(keys, known)).toMatch(/^(does not answer|has no keys)/);
  });

  it('is reported for a token with an unknown key, which a newer key may have signed', async () => {
    const keys = clientWith();
    await outcomeOf(keys, await token());
    await issuer.rotateKeys('RS256');
    issuer.breakDown();
    skipTime(MAX_AGE_MS);
    expect(await outcomeOf(keys, await token())).toBe('does not answer');
    issuer.recover();
    skipTime(PAUSE_MS);
    expect(await outcomeOf(keys, await token())).toBe('verified');
  });

  it('causes one fetch in two seconds, and ends for the next one', async () => {
    issuer.breakDown();
    const keys = clientWith();
    for (let i = 0; i < 5; i++) expect(await outcomeOf(keys, await token())).toBe('does not answer');
    expect(await faultOf(keys)).toBe('does not answer');
    expect(issuer.requests).toHaveLength(1);
    issuer.recover();
    skipTime(PAUSE_MS);
    expect(await outcomeOf(keys, await token())).toBe('verified');
  });
});
