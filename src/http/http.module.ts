import { Global, Module } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_INTERCEPTOR, APP_PIPE, DiscoveryModule } from '@nestjs/core';
import { ThrottlerModule } from '@nestjs/throttler';
import { AppConfig } from '../config/app-config.js';
import { ApiKeyUses } from './auth/api-key-uses.js';
import { AuthenticationGuard } from './auth/authentication.guard.js';
import { AuthorizationGuard } from './auth/authorization.guard.js';
import { KnownCredentials } from './auth/known-credentials.js';
import { RouteAudit } from './auth/route-audit.js';
import { SessionCookies } from './auth/session-cookies.js';
import { VerifiedTokens } from './auth/verified-tokens.js';
import { PageCursors } from './request/page-cursors.js';
import { RequestInterceptor } from './request/request.interceptor.js';
import { EnvelopeInterceptor } from './response/envelope.interceptor.js';
import { ErrorFilter } from './response/error.filter.js';
import { IdempotencyInterceptor } from './request/idempotency.interceptor.js';
import { IdempotencyRepository } from './request/idempotency.repository.js';
import { ConnectionLimits } from './resilience/connection-limits.js';
import { GracefulShutdown } from './resilience/graceful-shutdown.js';
import { LoadShedder } from './resilience/load-shedder.js';
import { LoadMonitor } from './resilience/load-monitor.js';
import { ProbeServer } from './resilience/probe-server.js';
import { RateLimitGuard, throttlerOptions } from './throttling/rate-limit.guard.js';
import { RateLimitStorage } from './throttling/rate-limit-storage.js';
import { RateLimits } from './throttling/rate-limits.js';
import { ServedRequests } from './response/served-requests.js';
import { RequestPipe } from './request/request.pipe.js';

/** The guards, pipe, interceptors and filter of all routes, with the services that they use. */
@Global()
@Module({
  imports: [
    DiscoveryModule,
    ThrottlerModule.forRootAsync({ inject: [AppConfig, RateLimitStorage], useFactory: throttlerOptions }),
  ],
  providers: [
    {
      provide: RateLimitStorage,
      inject: [AppConfig],
      useFactory: (config: AppConfig) => RateLimitStorage.open(config),
    },
    RateLimits,
    ApiKeyUses,
    RouteAudit,
    GracefulShutdown,
    ServedRequests,
    LoadMonitor,
    LoadShedder,
    ConnectionLimits,
    ProbeServer,
    IdempotencyRepository,
    SessionCookies,
    KnownCredentials,
    VerifiedTokens,
    PageCursors,
    // Nest runs the guards in this order: a request with an invalid token is counted before it is refused.
    { provide: APP_GUARD, useClass: AuthenticationGuard },
    { provide: APP_GUARD, useClass: RateLimitGuard },
    { provide: APP_GUARD, useClass: AuthorizationGuard },
    { provide: APP_PIPE, useClass: RequestPipe },
    { provide: APP_INTERCEPTOR, useClass: EnvelopeInterceptor },
    { provide: APP_INTERCEPTOR, useClass: RequestInterceptor },
    // After these two interceptors, because it stores responses without their envelope, and compares the parsed body of a
    // repeated request with that of the first one.
    { provide: APP_INTERCEPTOR, useClass: IdempotencyInterceptor },
    { provide: APP_FILTER, useClass: ErrorFilter },
  ],
  exports: [
    LoadShedder,
    ConnectionLimits,
    RateLimitStorage,
    RateLimits,
    ApiKeyUses,
    RouteAudit,
    GracefulShutdown,
    ServedRequests,
    IdempotencyRepository,
    SessionCookies,
    KnownCredentials,
    VerifiedTokens,
  ],
})
export class HttpModule {}
