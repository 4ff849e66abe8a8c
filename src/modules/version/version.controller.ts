import { Controller, Get } from '@nestjs/common';
import { AppConfig } from '../../config/app-config.js';
import { BUILD, VERSION } from '../../config/version.js';
import { PublicRoute } from '../../http/auth/route.js';
import { Choice, Instant, Text } from '../../http/openapi/fields.js';

export class VersionResponse {
  @Text({ example: '1.0.0' })
  version!: string;

  @Choice(['v1'])
  apiVersion!: string;

  @Text({
    nullable: true,
    description: 'of the source; null where the build did not know it',
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

@Controller('api/version')
export class VersionController {
  constructor(private readonly config: AppConfig) {}

  @Get()
  @PublicRoute({
    summary: 'Version, commit and build time of the running service',
    data: VersionResponse,
    rateClass: 'none',
  })
  version(): VersionResponse {
    return {
      version: VERSION,
      apiVersion: 'v1',
      commit: BUILD.commit,
      builtAt: BUILD.builtAt,
      nodeVersion: process.version,
      environment: this.config.NODE_ENV,
    };
  }
}
