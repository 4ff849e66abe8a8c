import { generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { JWK } from 'jose';

export const ATTACKER_KEY_ID = 'attacker-key';

/** An attacker's RSA key with a self-signed certificate. */
export interface AttackerKey {
  readonly privateKey: KeyObject;
  readonly jwk: JWK;
  /** X.509 in DER. */
  readonly certificate: Buffer;
}

/** Publishes an attacker's key as a JWKS and as a certificate. A service requests them only if it trusts URLs in a token's header. */
export class AttackerKeyServer {
  requests = 0;

  private constructor(
    readonly key: AttackerKey,
    private readonly server: Server,
  ) {}

  static async start(): Promise<AttackerKeyServer> {
    const key = generateAttackerKey();
    const files: Record<string, string> = {
      '/jwks.json': JSON.stringify({
        keys: [{ ...key.jwk, kid: ATTACKER_KEY_ID, alg: 'RS256', use: 'sig' }],
      }),
      '/certificate.pem': pemOf(key.certificate),
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
    await new Promise((resolve) => {
      this.server.close(resolve);
      this.server.closeAllConnections();
    });
  }

  private get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }
}

function generateAttackerKey(): AttackerKey {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const jwk = publicKey.export({ format: 'jwk' }) as JWK;
  return { privateKey, jwk, certificate: selfSignedCertificate(privateKey, publicKey) };
}

const [INTEGER, BIT_STRING, NULL, OID, UTF8_STRING, UTC_TIME, SEQUENCE, SET, VERSION] = [
  0x02, 0x03, 0x05, 0x06, 0x0c, 0x17, 0x30, 0x31, 0xa0,
];

/** Builds X.509 (RFC 5280) directly, since node:crypto reads certificates but does not write them. */
function selfSignedCertificate(privateKey: KeyObject, publicKey: KeyObject): Buffer {
  const sha256WithRsa = der(SEQUENCE, der(OID, Buffer.from('2a864886f70d01010b', 'hex')), der(NULL));
  const commonName = der(OID, Buffer.from('550403', 'hex'));
  const name = der(SEQUENCE, der(SET, der(SEQUENCE, commonName, der(UTF8_STRING, Buffer.from('attacker')))));
  const time = (text: string) => der(UTC_TIME, Buffer.from(text));
  const certificate = der(
    SEQUENCE,
    der(VERSION, der(INTEGER, Buffer.from([2]))), // version 3
    der(INTEGER, Buffer.from([1])), // serial number
    sha256WithRsa,
    name, // issuer
    der(SEQUENCE, time('200101000000Z'), time('491231235959Z')),
    name, // subject
    publicKey.export({ type: 'spki', format: 'der' }),
  );
  const signature = sign('sha256', certificate, privateKey);
  return der(SEQUENCE, certificate, sha256WithRsa, der(BIT_STRING, Buffer.from([0]), signature));
}

function der(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size = length < 0x80 ? [length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

function pemOf(certificate: Buffer): string {
  const lines = certificate.toString('base64').match(/.{1,64}/g) ?? [];
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
}
