import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { canonicalJson, type JsonValue } from '../../../../common/canonical-json.js';
import { sha256 } from './merkle-tree.js';

// Ed25519 keys of the log, by RFC 8032: a seed of 32 bytes, a public key of 32 bytes and signatures of 64 bytes. Receipts and
// manifests of audit packs are canonical JSON with a detached JWS of such a key (RFC 7515 appendix F, RFC 8037).

export const SEED_BYTES = 32;
const PUBLIC_KEY_BYTES = 32;
const SIGNATURE_BYTES = 64;
/** The bytes before the seed in PKCS #8, and before the public key in SPKI (RFC 8410). */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');
const SPKI_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');

export class PublicKey {
  private readonly key: KeyObject;

  constructor(readonly bytes: Buffer) {
    if (bytes.length !== PUBLIC_KEY_BYTES) throw new RangeError('A public key has 32 bytes.');
    this.key = createPublicKey({ key: Buffer.concat([SPKI_PREFIX, bytes]), format: 'der', type: 'spki' });
  }

  hasSigned(message: Uint8Array, signature: Uint8Array): boolean {
    return signature.length === SIGNATURE_BYTES && verify(null, message, this.key, signature);
  }

  /** The thumbprint of RFC 7638, which is the id of the key in JSON Web Keys and signatures. */
  get thumbprint(): string {
    return sha256(Buffer.from(canonicalJson({ ...this.required }))).toString('base64url');
  }

  /** The JSON Web Key of RFC 8037, as `/.well-known/jwks.json` lists it. */
  get jwk(): PublicJwk {
    return { ...this.required, kid: this.thumbprint, alg: 'EdDSA', use: 'sig' };
  }

  /** The members whose hash is the thumbprint. */
  private get required(): { kty: 'OKP'; crv: 'Ed25519'; x: string } {
    return { kty: 'OKP', crv: 'Ed25519', x: this.bytes.toString('base64url') };
  }
}

interface PublicJwk {
  readonly kty: 'OKP';
  readonly crv: 'Ed25519';
  readonly x: string;
  readonly kid: string;
  readonly alg: 'EdDSA';
  readonly use: 'sig';
}

export class SigningKey {
  readonly publicKey: PublicKey;
  private readonly key: KeyObject;

  constructor(seed: Buffer) {
    if (seed.length !== SEED_BYTES) throw new RangeError('The seed of a signing key has 32 bytes.');
    this.key = createPrivateKey({ key: Buffer.concat([PKCS8_PREFIX, seed]), format: 'der', type: 'pkcs8' });
    const { x } = createPublicKey(this.key).export({ format: 'jwk' });
    this.publicKey = new PublicKey(Buffer.from(x as string, 'base64url'));
  }

  sign(message: Uint8Array): Buffer {
    return sign(null, message, this.key);
  }
}

export interface SignedReceipt {
  /** Canonical JSON. */
  readonly payload: string;
  /** Detached JWS: `header..signature`, both base64url. */
  readonly signature: string;
}

export function signReceipt(receipt: JsonValue, key: SigningKey): SignedReceipt {
  const payload = canonicalJson(receipt);
  const header = encodedHeader(key.publicKey);
  const signature = key.sign(signingInput(header, payload)).toString('base64url');
  return { payload, signature: `${header}..${signature}` };
}

/** Clients compare the header as a whole, so they refuse one with other members, such as `b64` or `crit`. */
function encodedHeader(key: PublicKey): string {
  return Buffer.from(canonicalJson({ alg: 'EdDSA', kid: key.thumbprint })).toString('base64url');
}

function signingInput(header: string, payload: string): Buffer {
  return Buffer.from(`${header}.${Buffer.from(payload, 'utf8').toString('base64url')}`);
}
