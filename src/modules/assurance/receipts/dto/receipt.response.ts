import { StringField } from '../../../../http/openapi/fields.js';

export class ReceiptResponse {
  @StringField({
    description: 'canonical JSON (RFC 8785); the signature covers its UTF-8 bytes',
    example: '{"id":"…","kind":"deposit","transactions":[],"v":1}',
  })
  payload!: string;

  @StringField({
    description: 'detached JWS (RFC 7515, appendix F) with EdDSA, by a key of /.well-known/jwks.json',
    example: 'eyJhbGciOiJFZERTQSIsImtpZCI6Ii4uLiJ9..c2lnbmF0dXJl',
  })
  signature!: string;
}
