import { Controller, Get } from '@nestjs/common';
import { AppConfig } from '../../config/app-config.js';
import { BUILD, VERSION } from '../../config/version.js';
import { PublicRoute } from '../../http/auth/route.js';
import { VersionResponse } from './dto/health.response.js';

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
