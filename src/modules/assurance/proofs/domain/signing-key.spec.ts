import { verifyReceipt } from '../../../../../client/verify.js';
import { bytesOf, PROOF_VECTORS } from '../../../../../test/fixtures/proof-vectors.js';
import type { JsonValue } from '../../../../common/canonical-json.js';
import { signReceipt, SigningKey } from './signing-key.js';

const { seed, jwk, cases } = PROOF_VECTORS.receipts;
const key = new SigningKey(bytesOf(seed));
const otherKey = new SigningKey(Buffer.alloc(32, 9));
const keys = { keys: [otherKey.publicKey.jwk, key.publicKey.jwk] };

/** Signs a payload and a header as they are. */
function signedAsIs(payload: string, header: string): { payload: string; signature: string } {
  const input = Buffer.from(`${header}.${Buffer.from(payload).toString('base64url')}`);
  return { payload, signature: `${header}..${key.sign(input).toString('base64url')}` };
}

describe('SigningKey', () => {
  it('refuses a seed that does not have 32 bytes', () => {
    expect(() => new SigningKey(Buffer.alloc(31))).toThrow(RangeError);
  });

  it('has the JSON Web Key of the test vector, with the thumbprint as its id', () => {
    expect(key.publicKey.jwk).toEqual(jwk);
  });
});

describe('signReceipt', () => {
  it.each(cases)(
    'makes the signature of the test vector for the payload $payload',
    async ({ payload, signature }) => {
      const receipt = JSON.parse(payload) as JsonValue;
      expect(signReceipt(receipt, key)).toEqual({ payload, signature });
      expect(await verifyReceipt({ payload, signature }, keys)).toEqual(receipt);
      await expect(
        verifyReceipt({ payload, signature }, { keys: [otherKey.publicKey.jwk] }),
      ).rejects.toThrow();
    },
  );
});

describe('verifyReceipt of the client', () => {
  it('refuses a payload that is not canonical, even if it is signed', async () => {
    const [header] = signReceipt({ a: 2, b: 1 }, key).signature.split('..') as [string];
    await verifyReceipt(signedAsIs('{"a":2,"b":1}', header), keys);
    await expect(verifyReceipt(signedAsIs('{"b":1,"a":2}', header), keys)).rejects.toThrow();
  });

  it.each([
    ['another algorithm', { alg: 'none', kid: key.publicKey.thumbprint }],
    ['a critical extension', { alg: 'EdDSA', b64: false, crit: ['b64'], kid: key.publicKey.thumbprint }],
  ])('refuses a header that names %s', async (_, header) => {
    const encoded = Buffer.from(JSON.stringify(header)).toString('base64url');
    await expect(verifyReceipt(signedAsIs('{"a":2}', encoded), keys)).rejects.toThrow();
  });
});
