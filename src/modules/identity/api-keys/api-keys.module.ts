import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuthModule } from '../auth/auth.module.js';
import { UsersModule } from '../users/users.module.js';
import { ApiKeyAuthenticationService, ApiKeyStrategy } from './api-key-authentication.service.js';
import { ApiKeyUsesJob } from './api-key-uses.job.js';
import { ApiKeysController } from './api-keys.controller.js';
import { ApiKeysRepository } from './api-keys.repository.js';
import { ApiKeysService } from './api-keys.service.js';
import { ApiKey, ApiKeyUse } from './entities/api-key.entity.js';

@Module({
  imports: [TypeOrmModule.forFeature([ApiKey, ApiKeyUse]), AuthModule, UsersModule],
  controllers: [ApiKeysController],
  providers: [
    ApiKeyAuthenticationService,
    ApiKeysRepository,
    ApiKeysService,
    ApiKeyUsesJob,
    // `ApplicationStrategy` finds the strategy by this name.
    { provide: 'api-key', useClass: ApiKeyStrategy },
  ],
  exports: [ApiKeyAuthenticationService, ApiKeysService],
})
export class ApiKeysModule {}
