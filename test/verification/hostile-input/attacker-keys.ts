import 'reflect-metadata';
import { KeyObject, webcrypto } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type X509Certificate, X509CertificateGenerator } from '@peculiar/x509';
import type { JWK } from 'jose';
import { stopServer } from '../../harness/stop-server.js';

export const ATTACKER_KEY_ID = 'attacker-key';
const ALGORITHM = {
  name: 'RSASSA-PKCS1-v1_5',
  hash: 'SHA-256',
  modulusLength: 2048,
  publicExponent: Uint8Array.of(1, 0, 1),
};

/** An attacker's RSA key with a self-signed certificate. */
export interface AttackerKey {
  readonly privateKey: KeyObject;
  readonly jwk: JWK;
  readonly certificate: X509Certificate;
}

/** Publishes an attacker's key as a JWKS and as a certificate. A service requests them only if it trusts URLs in a token's header. */
export class AttackerKeyServer {
  requests = 0;

  private constructor(
    readonly key: AttackerKey,
    private readonly server: Server,
  ) {}

  static async start(): Promise<AttackerKeyServer> {
    const key = await generateAttackerKey();
    const files: Record<string, string> = {
      '/jwks.json': JSON.stringify({
        keys: [{ ...key.jwk, kid: ATTACKER_KEY_ID, alg: 'RS256', use: 'sig' }],
      }),
      '/certificate.pem': key.certificate.toString('pem'),
    };
    const server = createServer((request, response) => {
      keyServer.requests++;
      response.end(files[request.url ?? '']);
    });
    const keyServer = new AttackerKeyServer(key, server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return keyServer;
  }

  get jwksUrl(): string {
    return `${this.url}/jwks.json`;
  }

  get certificateUrl(): string {
    return `${this.url}/certificate.pem`;
  }

  async stop(): Promise<void> {
    await stopServer(this.server);
  }

  private get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }
}

async function generateAttackerKey(): Promise<AttackerKey> {
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  const certificate = await X509CertificateGenerator.createSelfSigned({
    name: 'CN=attacker',
    notBefore: new Date('2020-01-01'),
    notAfter: new Date('2049-12-31'),
    signingAlgorithm: ALGORITHM,
    keys,
  });
  return {
    privateKey: KeyObject.from(keys.privateKey),
    jwk: KeyObject.from(keys.publicKey).export({ format: 'jwk' }) as JWK,
    certificate,
  };
}
