import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { ModuleRef, Reflector } from '@nestjs/core';
import { AuthGuard } from '@nestjs/passport';
import { AppConfig } from '../../config/app-config.js';
import { throwError } from '../../common/errors/domain-error.js';
import { carriesApiKey } from './api-key-scopes.js';
import type { RequestWithPrincipal } from './principal.js';
import { KnownCredentials } from './known-credentials.js';
import { isForAdmins, ROUTE_RULE, type RouteRule } from './route.js';
import { SessionCookies } from './session-cookies.js';
import { bearerToken, refusalOf, type StrategyName, type StrategyOptions } from './strategies.js';
import { VerifiedTokens } from './verified-tokens.js';

const SAFE_METHODS = new Set(['GET', 'HEAD']);

/**
 * A variant of Nest's `AuthGuard` that never refuses. It tries the strategies in turn and puts the principal of the first
 * successful one, or else the refusal, on the request. It throws other errors of the strategies, such as an outage.
 */
function authenticateWith(...strategies: StrategyName[]) {
  return class extends AuthGuard(strategies) {
    constructor(private readonly moduleRef: ModuleRef) {
      super();
    }

    override getAuthenticateOptions(): StrategyOptions & { property: string } {
      return { property: 'principal', moduleRef: this.moduleRef };
    }

    override handleRequest<T>(error: unknown, principal: T, failures: unknown[], context: ExecutionContext) {
      if (principal) return principal;
      const request = context.switchToHttp().getRequest<RequestWithPrincipal>();
      request.refusal = refusalOf(error ? [error] : failures);
      return undefined as T;
    }
  };
}

const ByBearer = authenticateWith('bearer');
const ByApiKey = authenticateWith('api-key');
const ByUserCookie = authenticateWith('user-cookie');
const ByAdminCookie = authenticateWith('admin-cookie');
const ByUserCookieFirst = authenticateWith('user-cookie', 'admin-cookie');
const ByAdminCookieFirst = authenticateWith('admin-cookie', 'user-cookie');

/**
 * The first global guard: puts the principal or the refusal on the request. `RateLimitGuard` then counts the request, by
 * address if its token is refused, and `AuthorizationGuard` applies the result. This guard itself refuses only routes without
 * a rule, and development routes in production.
 */
@Injectable()
export class AuthenticationGuard implements CanActivate {
  private readonly byBearer: CanActivate;
  private readonly byApiKey: CanActivate;
  /** For each type: `alone` accepts its session cookie only; `first` tries that cookie and then the other type's. */
  private readonly byCookie: Record<'user' | 'admin', { alone: CanActivate; first: CanActivate }>;

  constructor(
    private readonly reflector: Reflector,
    private readonly config: AppConfig,
    private readonly cookies: SessionCookies,
    private readonly verifiedTokens: VerifiedTokens,
    private readonly knownCredentials: KnownCredentials,
    moduleRef: ModuleRef,
  ) {
    this.byBearer = new ByBearer(moduleRef);
    this.byApiKey = new ByApiKey(moduleRef);
    this.byCookie = {
      user: { alone: new ByUserCookie(moduleRef), first: new ByUserCookieFirst(moduleRef) },
      admin: { alone: new ByAdminCookie(moduleRef), first: new ByAdminCookieFirst(moduleRef) },
    };
  }

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const rule = this.reflector.get<RouteRule | undefined>(ROUTE_RULE, context.getHandler());
    if (!rule) throwError('FORBIDDEN'); // fail closed; start-up refuses such a route already
    if (rule.developmentOnly && this.config.isProduction) throwError('NOT_FOUND');
    if (rule.access === 'none') return true;
    const request = context.switchToHttp().getRequest<RequestWithPrincipal>();
    if (rule.access === 'optional' && carriesApiKey(request.headers.authorization)) return true; // public routes ignore keys
    const guard = this.guardFor(request, rule);
    if (guard !== this.byBearer || !(await this.authenticateVerified(request)))
      await guard.canActivate(context);
    if (request.principal) this.knownCredentials.recordUse(request);
    return true;
  }

  /** Authenticates a token that this process has verified before, without Passport; false if it has not. */
  private async authenticateVerified(request: RequestWithPrincipal): Promise<boolean> {
    const verified = this.verifiedTokens.findToken(bearerToken(request));
    if (!verified) return false;
    try {
      request.principal = await verified.getPrincipal();
    } catch (error) {
      request.refusal = refusalOf([error]);
    }
    return true;
  }

  /** An Authorization header takes precedence over cookies, except on routes that accept cookies only. */
  private guardFor(request: RequestWithPrincipal, rule: RouteRule): CanActivate {
    const isCookieRoute = rule.access === 'cookie' || rule.access === 'cookie-admin';
    const { authorization } = request.headers;
    if (!isCookieRoute && authorization) return carriesApiKey(authorization) ? this.byApiKey : this.byBearer;
    const routeType = isForAdmins(rule) ? 'admin' : 'user';
    const otherType = isForAdmins(rule) ? 'user' : 'admin';
    request.isCsrfExempt = isCookieRoute && SAFE_METHODS.has(request.method);
    if (!request.isCsrfExempt) return this.byCookie[routeType].first;
    // If a request has both session cookies, its X-CSRF-Token tells which one counts. A request that needs no such token is
    // authenticated by the cookie of the route's type, or by the other one if that cookie is absent.
    const hasCookieOfRoute = this.cookies.read(request, routeType) !== undefined;
    return this.byCookie[hasCookieOfRoute ? routeType : otherType].alone;
  }
}
