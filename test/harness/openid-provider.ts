import { createHash, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { calculateJwkThumbprint, exportJWK, generateKeyPair } from 'jose';
import Provider, { type Configuration, type JWK } from 'oidc-provider';
import { freePort } from '../../src/sandbox/ports.js';
import { stopServer } from './stop-server.js';

const REDIRECT_URI = 'https://app.example.com/callback';
const SCOPE = 'openid email profile';

/**
 * A complete OpenID provider (npm package oidc-provider). It has a client per signature algorithm, whose id is that algorithm, and
 * signs in every person without asking for anything.
 */
export class OpenIdProvider {
  private server: Server | undefined;
  private provider!: Provider;

  private constructor(
    private readonly port: number,
    private readonly algorithms: readonly string[],
  ) {}

  static async start(...algorithms: string[]): Promise<OpenIdProvider> {
    const provider = new OpenIdProvider(await freePort(), algorithms);
    await provider.rotateKeys();
    await provider.listen();
    return provider;
  }

  get issuer(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Replaces all keys. */
  async rotateKeys(): Promise<void> {
    const keys = await Promise.all(this.algorithms.map(newKey));
    this.provider = new Provider(this.issuer, configurationFor(this.algorithms, keys));
  }

  async listen(): Promise<void> {
    const server = createServer((request, response) => {
      if (request.url?.startsWith('/interaction/')) void this.signInAtOnce(request, response);
      else void this.provider.callback()(request, response);
    });
    await new Promise<void>((resolve) => server.listen(this.port, '127.0.0.1', resolve));
    this.server = server;
  }

  async stop(): Promise<void> {
    if (this.server) await stopServer(this.server);
    this.server = undefined;
  }

  /** The ID token that a client gets by the authorization code flow with PKCE. */
  async idToken(clientId: string): Promise<string> {
    const verifier = randomBytes(32).toString('base64url');
    const authorization = new URLSearchParams({
      client_id: clientId,
      response_type: 'code',
      redirect_uri: REDIRECT_URI,
      scope: SCOPE,
      state: randomBytes(16).toString('base64url'),
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
    });
    const callback = await followRedirects(`${this.issuer}/auth?${authorization.toString()}`, REDIRECT_URI);
    const response = await fetch(`${this.issuer}/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'authorization_code',
        client_id: clientId,
        redirect_uri: REDIRECT_URI,
        code: callback.searchParams.get('code') ?? '',
        code_verifier: verifier,
      }),
    });
    const { id_token: token } = (await response.json()) as { id_token?: string };
    if (!token) throw new Error(`The provider has issued no ID token for ${clientId}: ${response.status}`);
    return token;
  }

  private async signInAtOnce(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { params } = await this.provider.interactionDetails(request, response);
    const login = { accountId: `user-of-${String(params.client_id).toLowerCase()}` };
    await this.provider.interactionFinished(request, response, { login });
  }
}

async function newKey(algorithm: string): Promise<JWK> {
  const { privateKey } = await generateKeyPair(algorithm, { extractable: true });
  const jwk = await exportJWK(privateKey);
  return { ...jwk, alg: algorithm, use: 'sig', kid: await calculateJwkThumbprint(jwk) } as JWK;
}

function configurationFor(algorithms: readonly string[], keys: JWK[]): Configuration {
  return {
    jwks: { keys },
    enabledJWA: {
      idTokenSigningAlgValues: algorithms as NonNullable<
        Configuration['enabledJWA']
      >['idTokenSigningAlgValues'],
    },
    clients: algorithms.map((algorithm) => ({
      client_id: algorithm,
      id_token_signed_response_alg: algorithm as 'RS256',
      redirect_uris: [REDIRECT_URI],
      token_endpoint_auth_method: 'none',
    })),
    cookies: { keys: [randomBytes(32).toString('base64url')] },
    features: { devInteractions: { enabled: false } },
    conformIdTokenClaims: false, // the claims of the scopes are in the ID token
    claims: { email: ['email', 'email_verified'], profile: ['name'] },
    findAccount: (_context, id) => ({
      accountId: id,
      claims: () => ({ sub: id, email: `${id}@example.org`, email_verified: true, name: `User ${id}` }),
    }),
    loadExistingGrant: async ({ oidc }) => {
      const grant = new oidc.provider.Grant({
        clientId: oidc.client?.clientId as string,
        accountId: oidc.session?.accountId as string,
      });
      grant.addOIDCScope(SCOPE);
      await grant.save();
      return grant;
    },
  };
}

/** Follows redirects as a browser does, with cookies, up to the address that begins with `destination`. */
async function followRedirects(start: string, destination: string): Promise<URL> {
  const cookies = new Map<string, string>();
  let url = start;
  for (let hops = 0; hops < 10; hops++) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(url, { redirect: 'manual', headers: { cookie } });
    for (const line of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (name && value !== undefined) cookies.set(name, value);
    }
    const location = response.headers.get('location');
    if (!location) throw new Error(`${url} has answered ${response.status}: ${await response.text()}`);
    url = new URL(location, url).href;
    if (url.startsWith(destination)) return new URL(url);
  }
  throw new Error(`too many redirects from ${start}`);
}
