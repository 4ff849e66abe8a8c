import { bytesOf, PROOF_VECTORS, textsWithOneBitFlipped } from '../../../../test/fixtures/proof-vectors.js';
import type { JsonValue } from './canonical-json.js';
import { openReceipt, type SignedReceipt, signReceipt } from './receipt-signature.js';
import { SigningKey } from './signing-key.js';

const { seed, jwk, cases } = PROOF_VECTORS.receipts;
const key = new SigningKey(bytesOf(seed));
const other = new SigningKey(Buffer.alloc(32, 9));

describe('receipts', () => {
  it('name the key by its thumbprint', () => {
    expect(key.publicKey.jwk).toEqual(jwk);
  });

  it.each(cases)('have the signature of the vector: $payload', ({ payload, signature }) => {
    const receipt = JSON.parse(payload) as JsonValue;
    expect(signReceipt(receipt, key)).toEqual({ payload, signature });
    expect(openReceipt({ payload, signature }, [other.publicKey, key.publicKey])).toEqual(receipt);
    expect(openReceipt({ payload, signature }, [other.publicKey])).toBeUndefined();
  });

  it('do not open after a change of any bit', () => {
    const { payload, signature } = cases[0] as SignedReceipt;
    for (const changed of textsWithOneBitFlipped(payload))
      expect(openReceipt({ payload: changed, signature }, [key.publicKey])).toBeUndefined();
    for (const changed of textsWithOneBitFlipped(signature))
      expect(openReceipt({ payload, signature: changed }, [key.publicKey])).toBeUndefined();
  });

  it('do not open with a payload that is not canonical, even if it is signed', () => {
    const payload = '{"b":1,"a":2}';
    const { signature } = signReceipt({ a: 2, b: 1 }, key);
    const [header] = signature.split('..') as [string];
    const input = Buffer.from(`${header}.${Buffer.from(payload).toString('base64url')}`);
    const signed = { payload, signature: `${header}..${key.sign(input).toString('base64url')}` };
    expect(openReceipt(signed, [key.publicKey])).toBeUndefined();
  });

  it.each([
    ['another algorithm', { alg: 'none', kid: key.publicKey.thumbprint }],
    ['a critical extension', { alg: 'EdDSA', b64: false, crit: ['b64'], kid: key.publicKey.thumbprint }],
  ])('do not open with a header that names %s', (_, header) => {
    const payload = '{"a":2}';
    const encoded = Buffer.from(JSON.stringify(header)).toString('base64url');
    const input = Buffer.from(`${encoded}.${Buffer.from(payload).toString('base64url')}`);
    const signature = `${encoded}..${key.sign(input).toString('base64url')}`;
    expect(openReceipt({ payload, signature }, [key.publicKey])).toBeUndefined();
  });
});
