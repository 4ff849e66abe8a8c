import { InstantField, StringField, StringListField, UuidField } from '../../../../http/openapi/fields.js';

export class ApiKeyResponse {
  @UuidField() id!: string;
  @StringField({ example: 'Bookkeeping' }) name!: string;
  @StringListField({ example: ['balance:read', 'transactions:read'] }) scopes!: readonly string[];
  @InstantField({ nullable: true, description: 'null: the key does not expire' }) expiresAt!: string | null;
  @StringListField({
    nullable: true,
    example: ['203.0.113.0/24'],
    description: 'CIDR; null: the key works from every address',
  })
  networks!: readonly string[] | null;
  @StringField({ example: 'sk_ExampleO', description: 'the first characters of the key' }) prefix!: string;
  @InstantField() createdAt!: string;
  @InstantField({
    nullable: true,
    description:
      'The first use is shown within seconds, later uses within a minute. Refused requests do not count.',
  })
  lastUsedAt!: string | null;
  @StringField({
    nullable: true,
    example: '203.0.113.7',
    description: 'IP address of the latest use, or `unknown`; null before the first use',
  })
  lastUsedFrom!: string | null;
}

export class CreatedApiKeyResponse extends ApiKeyResponse {
  @StringField({
    description: 'Send it as Authorization: Bearer. Shown only this once: store it.',
    example: 'sk_ExampleOfAnApiKeyWhichOpensNothing012345678wZVEcQ',
  })
  key!: string;
}
