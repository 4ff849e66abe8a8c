import { canonicalJson, type JsonValue } from './canonical-json.js';
import type { PublicKey, SigningKey } from './signing-key.js';

// Receipts are canonical JSON with a detached JWS (RFC 7515 appendix F, RFC 8037).

export interface SignedReceipt {
  /** Canonical JSON. */
  readonly payload: string;
  /** `header..signature`, base64url. */
  readonly signature: string;
}

export function signReceipt(receipt: JsonValue, key: SigningKey): SignedReceipt {
  const payload = canonicalJson(receipt);
  const header = encodedHeader(key.publicKey);
  const signature = key.sign(signingInput(header, payload)).toString('base64url');
  return { payload, signature: `${header}..${signature}` };
}

/** Clients compare the header as a whole, so that one with other members, such as `b64` or `crit`, is refused. */
function encodedHeader(key: PublicKey): string {
  return Buffer.from(canonicalJson({ alg: 'EdDSA', kid: key.thumbprint })).toString('base64url');
}

function signingInput(header: string, payload: string): Buffer {
  return Buffer.from(`${header}.${Buffer.from(payload, 'utf8').toString('base64url')}`);
}
