import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { SignJWT, calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK } from 'jose';
import type { CryptoKey, JWK, JWTPayload } from 'jose';
import { readJson, writeJson } from './json-file.js';

const SIGNING_ALGORITHMS = ['RS256', 'ES256'] as const;
type SigningAlgorithm = (typeof SIGNING_ALGORITHMS)[number];

export interface IdentityProviderOptions {
  /** The folder of the keys, so that tokens stay valid after a restart. */
  dataDir: string;
  issuer: string;
  audience: string;
}

export interface TokenRequest {
  /** null omits the claims `email` and `email_verified`. */
  email: string | null;
  emailVerified?: boolean;
  name?: string;
  /** The claim `sub`. By default it follows from the e-mail address, so that all tokens of an address have the same. */
  sub?: string;
  /** A negative value makes an expired token. */
  expiresInSeconds?: number;
  algorithm?: SigningAlgorithm;
  /** Added to the provider's claims; replaces those with the same name, for tests with invalid tokens. Undefined removes one. */
  claims?: JWTPayload;
}

export interface IdentityProvider {
  token(request: TokenRequest): Promise<string>;
  jwks(): { keys: JWK[] };
}

export const IDENTITY_KEYS_FILE = 'identity-provider-keys.json';
const DEFAULT_LIFETIME_SECONDS = 3600;

async function newKey(alg: SigningAlgorithm): Promise<JWK> {
  const { privateKey } = await generateKeyPair(alg, { extractable: true });
  const jwk = await exportJWK(privateKey);
  return { ...jwk, alg, use: 'sig', kid: await calculateJwkThumbprint(jwk) };
}

/** The public members of a key. An allow-list, so that no private member is published. */
function publicPart({ kty, kid, alg, use, n, e, crv, x, y }: JWK): JWK {
  return Object.fromEntries(
    Object.entries({ kty, kid, alg, use, n, e, crv, x, y }).filter(([, value]) => value !== undefined),
  );
}

function subjectFor(email: string | null): string {
  return createHash('sha256')
    .update(email ?? 'nobody')
    .digest('hex')
    .slice(0, 32);
}

/** Reads the keys of an earlier run, or creates them. */
export async function startIdentityProvider(options: IdentityProviderOptions): Promise<IdentityProvider> {
  const file = join(options.dataDir, IDENTITY_KEYS_FILE);
  const keys = readJson<JWK[]>(file) ?? (await Promise.all(SIGNING_ALGORITHMS.map(newKey)));
  writeJson(file, keys);

  return {
    jwks: () => ({ keys: keys.map(publicPart) }),
    token: async (request) => {
      const { email, emailVerified = true, name, sub, algorithm = 'RS256', claims } = request;
      const key = keys.find(({ alg }) => alg === algorithm);
      if (!key) throw new Error(`No ${algorithm} key in ${file}.`);
      const now = Math.floor(Date.now() / 1000);
      const expiresAt = now + (request.expiresInSeconds ?? DEFAULT_LIFETIME_SECONDS);
      const payload: JWTPayload = {
        iss: options.issuer,
        aud: options.audience,
        sub: sub ?? subjectFor(email),
        iat: Math.min(now, expiresAt),
        exp: expiresAt,
        ...(email === null ? {} : { email, email_verified: emailVerified }),
        ...(name === undefined ? {} : { name }),
        ...claims,
      };
      const header = { alg: algorithm, kid: key.kid, typ: 'JWT' };
      return new SignJWT(payload).setProtectedHeader(header).sign((await importJWK(key)) as CryptoKey);
    },
  };
}
