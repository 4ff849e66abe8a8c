import { MODULE_METADATA } from '@nestjs/common/constants.js';
import { APP_GUARD } from '@nestjs/core';
import { AuthenticationGuard } from './auth/authentication.guard.js';
import { AuthorizationGuard } from './auth/authorization.guard.js';
import { HttpModule } from './http.module.js';
import { RateLimitGuard } from './throttling/rate-limit.guard.js';

it('runs authentication, rate limiting and authorization in this order', () => {
  const providers = Reflect.getMetadata(MODULE_METADATA.PROVIDERS, HttpModule) as object[];
  const guards = providers.filter((provider) => 'provide' in provider && provider.provide === APP_GUARD);
  expect(guards).toEqual(
    [AuthenticationGuard, RateLimitGuard, AuthorizationGuard].map((useClass) => ({
      provide: APP_GUARD,
      useClass,
    })),
  );
});
