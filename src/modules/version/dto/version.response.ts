import { Choice, Instant, Text } from '../../../http/openapi/fields.js';

export class VersionResponse {
  @Text({ example: '1.0.0' })
  version!: string;

  @Choice(['v1'])
  apiVersion!: string;

  @Text({
    nullable: true,
    description: 'of the source; null if the build had no commit',
    example: '9db342f',
  })
  commit!: string | null;

  @Instant({ nullable: true })
  builtAt!: string | null;

  @Text({ example: 'v20.20.2' })
  nodeVersion!: string;

  @Choice(['development', 'test', 'production'])
  environment!: string;
}
