import { applyDecorators, HttpCode, SetMetadata, UseGuards } from '@nestjs/common';
import {
  ApiExtension,
  ApiExtraModels,
  ApiHeader,
  ApiOperation,
  ApiResponse,
  ApiSecurity,
} from '@nestjs/swagger';
import type { ErrorCode } from '../../common/errors/error-catalogue.js';
import { IDEMPOTENCY_KEY_HEADER, IDEMPOTENCY_KEY_PATTERN } from '../request/idempotent-request.js';
import { HEADER_OPTIONS, type HeaderOptions } from '../openapi/headers.js';
import { ANSWERS_JSON_RPC, REFUSALS, type Refusal } from '../openapi/refusals.js';
import type { RateClass } from '../throttling/rate-limits.js';
import type { RouteScope } from './api-key-scopes.js';
import type { Permission } from './permissions.js';
import { STEP_UP_HEADER } from './step-up.js';
import { IdentityProviderGuard } from './strategies.js';
import { furtherResponses, responseSchema, type ResponseOptions } from './route-responses.js';

/**
 * The credentials that a route accepts. `any`: a user's or an admin's; `optional`: the same, but none are required; `none`: all
 * are ignored; `cookie` and `cookie-admin`: only the session cookie of a user or an admin.
 */
export type Access = 'user' | 'admin' | 'any' | 'optional' | 'none' | 'cookie' | 'cookie-admin';

/** Options of a route that guards and interceptors read, besides the documentation. */
interface RuleOptions {
  /** The code of unexpected failures of this route, instead of INTERNAL_SERVER_ERROR. */
  readonly unexpected?: ErrorCode;
  /** The code for a user's token on this admin route, instead of ADMIN_REQUIRED. */
  readonly wrongAudienceCode?: ErrorCode;
  readonly rateClass?: RateClass;
  /**
   * Accepts an Idempotency-Key. The handler's last action is one `unitOfWork.runInTransaction`. A stored response is looked up
   * before the handler runs, or, for `in-transaction`, after its transaction has failed, which saves a wait. Such a handler must
   * change nothing and call no provider before its transaction, because a repeated request runs it again.
   */
  readonly idempotent?: true | 'in-transaction';
  /** `any-type`: the body is JSON whatever its Content-Type says, for senders whose signature covers the bytes. */
  readonly body?: 'any-type';
  /** Answers 404 NOT_FOUND in production. */
  readonly developmentOnly?: boolean;
  /** Ignores query parameters that it does not read, because programs of others call it. Every other route refuses them. */
  readonly ignoresQuery?: boolean;
  /** Open to sessions of admins that can only register a second factor (ADMIN_SECOND_FACTOR=required). */
  readonly beforeSecondFactor?: true;
}

export interface RouteRule extends RuleOptions {
  readonly access: Access;
  readonly permission?: Permission;
  /** The scope that a request with an API key needs; without it the route refuses every key. */
  readonly scope?: RouteScope;
  readonly rateClass: RateClass;
}

export const ROUTE_RULE = 'route:rule';

export interface RouteOptions extends RuleOptions, ResponseOptions {
  /** In the OpenAPI document, if the name that `nameOperations` derives from the path reads badly. */
  operationId?: string;
  /** 200 by default; 101 for an upgrade, which has no body. */
  status?: 101 | 200 | 201;
  /** Kind of token in the Authorization header, if it is not the platform's access token. */
  bearer?: 'identity-provider' | 'metrics';
  /** Sets or clears a session cookie. */
  setsCookie?: boolean;
  /**
   * The action needs a step-up of callers who have a second factor: the handler reads `@StepUpToken()`. The action is refused while the
   * user's account is locked, except with `unlock`.
   */
  stepUp?: true | 'unlock';
  /** Codes in addition to those that follow from the access rule. */
  errors?: Refusal[];
}

/** Options of the routes that an API key can open. */
export interface ScopedRouteOptions extends RouteOptions {
  /** The scope that opens the route to API keys; `any`: every key. Without it the route refuses keys. */
  readonly scope?: RouteScope;
}

/** A route for a signed-in user, and for API keys with the given scope. */
export function UserRoute({ scope, ...options }: ScopedRouteOptions): MethodDecorator {
  const rule: RouteRule = { access: 'user', rateClass: 'user', scope };
  return route(rule, options, ['FORBIDDEN', 'PERMISSION_DENIED', ...TOKEN_ERRORS]);
}

/** A route for admins who hold `permission`; for any admin if it is null. */
export function AdminRoute(permission: Permission | null, options: RouteOptions): MethodDecorator {
  const rule: RouteRule = { access: 'admin', rateClass: 'admin', permission: permission ?? undefined };
  const wrongAudience: ErrorCode[] = options.wrongAudienceCode ? [options.wrongAudienceCode] : [];
  const refusals: ErrorCode[] = [...wrongAudience, 'ADMIN_REQUIRED', 'PERMISSION_DENIED', 'FORBIDDEN'];
  return route(rule, options, [...refusals, ...TOKEN_ERRORS, ...factorErrors(options)]);
}

/** A route for the session cookie of a user or an admin. It ignores the Authorization header. */
export function CookieRoute(owner: 'user' | 'admin', options: RouteOptions): MethodDecorator {
  const access = owner === 'admin' ? 'cookie-admin' : 'cookie';
  const wrongAudience = owner === 'admin' ? [options.wrongAudienceCode ?? ('ADMIN_REQUIRED' as const)] : [];
  const factor = owner === 'admin' ? factorErrors(options) : [];
  return route({ access, rateClass: owner }, options, [
    ...wrongAudience,
    'FORBIDDEN',
    ...TOKEN_ERRORS,
    ...factor,
  ]);
}

/** A route for signed-in users and admins, and for API keys with the given scope. */
export function SignedInRoute({ scope, ...options }: ScopedRouteOptions): MethodDecorator {
  const rule: RouteRule = { access: 'any', rateClass: 'user', scope };
  return route(rule, options, ['FORBIDDEN', 'PERMISSION_DENIED', ...TOKEN_ERRORS, ...factorErrors(options)]);
}

/** A route without authentication; with `optional`, a token identifies the caller but is not required. */
export function PublicRoute(options: RouteOptions & { optional?: boolean }): MethodDecorator {
  return route({ access: options.optional ? 'optional' : 'none', rateClass: 'public' }, options, []);
}

const KEY_ERRORS: ErrorCode[] = ['IDEMPOTENCY_KEY_REUSED', 'IDEMPOTENCY_IN_PROGRESS'];
const STEP_UP_ERRORS: ErrorCode[] = ['STEP_UP_REQUIRED', 'STEP_UP_INVALID'];
const TOKEN_ERRORS: ErrorCode[] = ['TOKEN_MISSING', 'TOKEN_EXPIRED', 'TOKEN_INVALID', 'CSRF_INVALID'];
/** The error for an admin whose session can only register a second factor. */
const factorErrors = ({ beforeSecondFactor }: RouteOptions): Refusal[] =>
  beforeSecondFactor ? [] : [{ code: 'SECOND_FACTOR_REQUIRED', status: 403 }];

const KEY_HEADER_OPTIONS = {
  name: IDEMPOTENCY_KEY_HEADER,
  required: false,
  description:
    'A retry with the same key within 24 hours is answered as the first request was, with Idempotency-Replayed: true.',
  schema: { type: 'string', pattern: IDEMPOTENCY_KEY_PATTERN },
} as const;

const STEP_UP_HEADER_OPTIONS = {
  name: STEP_UP_HEADER,
  required: false,
  description:
    'The token of a step-up for this action with these details: POST /api/user/step-up or /api/admin/step-up, then /{id}/verify.',
  schema: { type: 'string' },
} as const;

function route(defaults: RouteRule, options: RouteOptions, accessErrors: Refusal[]): MethodDecorator {
  const rule: RouteRule = {
    ...defaults,
    rateClass: options.rateClass ?? defaults.rateClass,
    unexpected: options.unexpected,
    wrongAudienceCode: options.wrongAudienceCode,
    idempotent: options.idempotent,
    body: options.body,
    developmentOnly: options.developmentOnly,
    ignoresQuery: options.ignoresQuery,
    beforeSecondFactor: options.beforeSecondFactor,
  };
  const status = options.status ?? 200;
  // Routes of the class `sign-in` answer TOO_MANY_ATTEMPTS, which their `errors` list.
  const limitErrors: ErrorCode[] = ['none', 'sign-in'].includes(rule.rateClass)
    ? []
    : ['RATE_LIMIT_EXCEEDED'];
  const errors: Refusal[] = [
    ...accessErrors,
    ...(options.errors ?? []),
    ...(options.idempotent ? KEY_ERRORS : []),
    ...(options.stepUp ? STEP_UP_ERRORS : []),
    ...(options.stepUp === true ? (['ACCOUNT_LOCKED'] as const) : []),
    ...limitErrors,
    ...(rule.developmentOnly ? (['NOT_FOUND'] as const) : []),
    options.unexpected ?? 'INTERNAL_SERVER_ERROR',
  ];
  const models = [options.data, options.variant, options.summaryResponse, options.paged, options.approval]
    .flat()
    .filter((model) => typeof model === 'function');
  const decorators = [
    SetMetadata(ROUTE_RULE, rule),
    HttpCode(status),
    ApiOperation({
      summary: options.summary,
      operationId: options.operationId,
      description: accessText(rule),
    }),
    ApiExtraModels(...models),
    ApiResponse({ status, description: 'Success', ...(status === 101 ? {} : responseSchema(options)) }),
    ApiExtension(REFUSALS, options.answersJsonRpc ? [] : errors),
    ApiExtension(HEADER_OPTIONS, {
      isLimited: rule.rateClass !== 'none',
      isIdempotent: options.idempotent !== undefined,
      setsCookie: options.setsCookie === true,
    } satisfies HeaderOptions),
  ];
  if (options.answersJsonRpc) decorators.push(ApiExtension(ANSWERS_JSON_RPC, true));
  decorators.push(...furtherResponses(options));
  if (isForAdmins(rule)) decorators.push(ApiExtension('x-permission', rule.permission ?? 'any'));
  if (rule.scope) decorators.push(ApiExtension('x-scope', rule.scope));
  if (rule.rateClass !== 'none') decorators.push(ApiExtension('x-rate-limit', rule.rateClass));
  if (options.idempotent) decorators.push(ApiHeader(KEY_HEADER_OPTIONS));
  if (options.stepUp) decorators.push(ApiHeader(STEP_UP_HEADER_OPTIONS));
  if (options.bearer === 'identity-provider') decorators.push(UseGuards(IdentityProviderGuard));
  decorators.push(...securityOf(rule, options.bearer).map((schemes) => ApiSecurity(schemes)));
  return applyDecorators(...(decorators as MethodDecorator[]));
}

export function isForAdmins({ access }: RouteRule): boolean {
  return access === 'admin' || access === 'cookie-admin';
}

/** The permission or the scope that the route needs, as a sentence of the OpenAPI document. */
function accessText(rule: RouteRule): string | undefined {
  if (!isForAdmins(rule)) return scopeText(rule);
  if (!rule.permission) return 'Any admin may call it.';
  if (rule.permission === '*') return 'Needs all permissions (`*`).';
  return `Needs the permission \`${rule.permission}\`.`;
}

function scopeText({ access, scope }: RouteRule): string | undefined {
  if (access !== 'user' && access !== 'any') return undefined;
  if (!scope) return 'Refuses API keys.';
  return scope === 'any' ? 'Every API key may call it.' : `An API key needs the scope \`${scope}\`.`;
}

/** The alternative security requirements of a route in OpenAPI. A request has to meet every scheme of one of them. */
function securityOf(
  { access, scope }: RouteRule,
  bearer: RouteOptions['bearer'],
): Record<string, string[]>[] {
  if (bearer === 'metrics') return [{}, { [bearer]: [] }]; // outside production no token is required
  if (bearer) return [{ [bearer]: [] }];
  if (access === 'none') return [];
  const cookie = (owner: string) => ({ [`${owner}-cookie`]: [], csrf: [] });
  if (access === 'cookie') return [cookie('user')];
  if (access === 'cookie-admin') return [cookie('admin')];
  const owners = access === 'user' || access === 'admin' ? [access] : ['user', 'admin'];
  const tokens = [...owners, ...(scope ? ['apiKey'] : [])];
  const alternatives = [...tokens.map((scheme) => ({ [scheme]: [] })), ...owners.map(cookie)];
  return access === 'optional' ? [{}, ...alternatives] : alternatives;
}
