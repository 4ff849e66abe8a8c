// A WebAuthn authenticator in software with one ES256 key, as test/fixtures/software-authenticator.ts, which the bench cannot load.
import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { isoCBOR } from '@simplewebauthn/server/helpers';

const PRESENT_AND_VERIFIED = 0x05;
const HAS_CREDENTIAL = 0x40;
const sha256 = (data) => createHash('sha256').update(data).digest();

/** `create` and `get` return what `navigator.credentials` returns for the options, as JSON. */
export function openAuthenticator(origin) {
  const credentialId = randomBytes(16);
  const id = credentialId.toString('base64url');
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });

  const clientData = (type, challenge) => Buffer.from(JSON.stringify({ type, challenge, origin }));
  const authData = (flags, attested = Buffer.alloc(0)) =>
    Buffer.concat([
      sha256(new URL(origin).hostname),
      Buffer.of(flags | PRESENT_AND_VERIFIED, 0, 0, 0, 0), // without a count of uses
      attested,
    ]);
  const credential = (clientDataJSON, response) => ({
    id,
    rawId: id,
    type: 'public-key',
    clientExtensionResults: {},
    response: { clientDataJSON: clientDataJSON.toString('base64url'), ...response },
  });

  /** RFC 9053: kty EC2, alg ES256, crv P-256, x, y. */
  function coseKey() {
    const { x, y } = publicKey.export({ format: 'jwk' });
    const [xBytes, yBytes] = [x, y].map((text) => new Uint8Array(Buffer.from(text, 'base64url')));
    const entries = [
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, xBytes],
      [-3, yBytes],
    ];
    return Buffer.from(isoCBOR.encode(new Map(entries)));
  }

  return {
    create({ challenge }) {
      const head = Buffer.concat([Buffer.alloc(16), Buffer.of(0, credentialId.length)]);
      const attested = authData(HAS_CREDENTIAL, Buffer.concat([head, credentialId, coseKey()]));
      const attestation = [
        ['fmt', 'none'],
        ['attStmt', new Map()],
        ['authData', Uint8Array.from(attested)],
      ];
      const attestationObject = Buffer.from(isoCBOR.encode(new Map(attestation))).toString('base64url');
      return credential(clientData('webauthn.create', challenge), { attestationObject });
    },
    get({ challenge }) {
      const client = clientData('webauthn.get', challenge);
      const data = authData(0);
      const signature = sign('sha256', Buffer.concat([data, sha256(client)]), privateKey);
      return credential(client, {
        authenticatorData: data.toString('base64url'),
        signature: signature.toString('base64url'),
      });
    },
  };
}
