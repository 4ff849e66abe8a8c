import { Instant, Text, TextList, Uuid } from '../../../../http/openapi/fields.js';

export class ApiKeyResponse {
  @Uuid() id!: string;
  @Text({ example: 'Bookkeeping' }) name!: string;
  @TextList({ example: ['balance:read', 'transactions:read'] }) scopes!: readonly string[];
  @Instant({ nullable: true, description: 'null: the key does not expire' }) expiresAt!: string | null;
  @TextList({
    nullable: true,
    example: ['203.0.113.0/24'],
    description: 'CIDR; null: the key works from every address',
  })
  networks!: readonly string[] | null;
  @Text({ example: 'sk_ExampleO', description: 'the first characters of the key' }) prefix!: string;
  @Instant() createdAt!: string;
  @Instant({
    nullable: true,
    description:
      'The first use is shown within seconds, later uses within a minute. Refused requests do not count.',
  })
  lastUsedAt!: string | null;
  @Text({
    nullable: true,
    example: '203.0.113.7',
    description: 'IP address of the latest use, or `unknown`; null before the first use',
  })
  lastUsedFrom!: string | null;
}

export class CreatedApiKeyResponse extends ApiKeyResponse {
  @Text({
    description: 'Send it as Authorization: Bearer. Shown only this once: store it.',
    example: 'sk_ExampleOfAnApiKeyWhichOpensNothing012345678wZVEcQ',
  })
  key!: string;
}
