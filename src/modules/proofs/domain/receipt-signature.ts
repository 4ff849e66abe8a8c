import { parseBase64Url } from './base64.js';
import { canonicalJson, type JsonValue, parseCanonicalJson } from './canonical-json.js';
import { type PublicKey, SIGNATURE_BYTES, type SigningKey } from './signing-key.js';

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

/** The payload's value. Undefined unless the payload is canonical and one of the keys has signed it. */
export function openReceipt(
  { payload, signature }: SignedReceipt,
  keys: readonly PublicKey[],
): JsonValue | undefined {
  const [header = '', detached, encoded, ...others] = signature.split('.');
  const key = keys.find((one) => encodedHeader(one) === header);
  const bytes = parseBase64Url(encoded, SIGNATURE_BYTES);
  if (!key || !bytes || detached !== '' || others.length > 0) return undefined;
  return key.hasSigned(signingInput(header, payload), bytes) ? parseCanonicalJson(payload) : undefined;
}

/** A header with other members, such as `b64` or `crit`, is refused, since it is compared as a whole. */
function encodedHeader(key: PublicKey): string {
  return Buffer.from(canonicalJson({ alg: 'EdDSA', kid: key.thumbprint })).toString('base64url');
}

function signingInput(header: string, payload: string): Buffer {
  return Buffer.from(`${header}.${Buffer.from(payload, 'utf8').toString('base64url')}`);
}
