import { applyDecorators, HttpCode, SetMetadata, UseGuards } from '@nestjs/common';
import {
  ApiExtension,
  ApiExtraModels,
  ApiHeader,
  ApiOperation,
  ApiResponse,
  ApiSecurity,
  getSchemaPath,
} from '@nestjs/swagger';
import type { ErrorCode } from '../../common/errors/error-catalogue.js';
import { KEY_HEADER, KEY_PATTERN } from '../request/key-header.js';
import { HEADER_FACTS, type HeaderFacts } from '../openapi/headers.js';
import { REFUSALS, type Refusal } from '../openapi/refusals.js';
import type { RateClass } from '../throttling/rate-classes.js';
import { IdentityProviderGuard } from './identity-provider.guard.js';
import type { Permission } from './permissions.js';

/**
 * Who may call: `any` takes either token, `optional` looks at a token if there is one, `cookie` and `cookie-admin` take
 * a user's or an admin's session cookie alone.
 */
export type Access = 'user' | 'admin' | 'any' | 'optional' | 'none' | 'cookie' | 'cookie-admin';

export interface RouteRule {
  readonly access: Access;
  readonly permission?: Permission;
  readonly rateClass: RateClass;
  /** What an unexpected failure of this route is called (INTERNAL_SERVER_ERROR unless its table names another). */
  readonly unexpected?: ErrorCode;
  /** What a user's token on an admin route is called here. */
  readonly wrongAudienceCode?: ErrorCode;
  /** Takes an Idempotency-Key. */
  readonly idempotent?: boolean;
  /** In production there is no such route: 404 NOT_FOUND. */
  readonly developmentOnly?: boolean;
}

export const ROUTE_RULE = 'route:rule';

type View = new () => object;

export interface RouteOptions {
  /** One line for the documentation. */
  summary: string;
  /** View of `data`; `[View]` for an array; absent for routes that answer outside the envelope. */
  data?: View | [View];
  /** View of `data` in its other variant: `?view=` asks for it, or the kind of session; nothing stands beside it. */
  variant?: View;
  /** Answers a page: `pagination` (or the named view of it) stands beside `data`, and `summary` where a view is named. */
  paged?: boolean | View;
  summaryResponse?: View;
  /** Other fields beside `data`, of this route alone: their schemas. */
  extraFields?: Record<string, object>;
  /** `success` tells whether the service is well; when it is not, a 503 carries the same answer. */
  healthResponse?: boolean;
  /** 200 unless something is created. */
  status?: 200 | 201;
  /** A file of comma-separated values is answered instead when it is asked for. */
  csv?: boolean;
  /** Plain text, outside the envelope. */
  plainText?: boolean;
  /** Who issued the token that the Authorization header carries, if it is not one of ours. */
  bearer?: 'identity-provider' | 'metrics';
  /** The answer sets or clears the cookie of a session. */
  setsCookie?: boolean;
  /** Codes of its own, beside those that its access brings. */
  errors?: Refusal[];
  unexpected?: ErrorCode;
  wrongAudienceCode?: ErrorCode;
  rateClass?: RateClass;
  /** Moves money: takes an Idempotency-Key. What the service does is one `uow.run`, the last thing it does. */
  idempotent?: boolean;
  developmentOnly?: boolean;
}

/** A route for a signed-in user. */
export function UserRoute(options: RouteOptions): MethodDecorator {
  return route({ access: 'user', rateClass: 'user', ...refusals(options) }, options, [
    'FORBIDDEN',
    ...TOKEN_ERRORS,
  ]);
}

/** A route for admins who hold `permission`; null when any admin may call it. */
export function AdminRoute(permission: Permission | null, options: RouteOptions): MethodDecorator {
  const rule: RouteRule = {
    access: 'admin',
    rateClass: 'admin',
    ...(permission ? { permission } : {}),
    ...refusals(options),
  };
  return route(rule, options, [
    options.wrongAudienceCode ?? 'ADMIN_REQUIRED',
    'PERMISSION_DENIED',
    'FORBIDDEN',
    ...TOKEN_ERRORS,
  ]);
}

/** A route for a signed-in user's or admin's session cookie; a token in the Authorization header is nothing to it. */
export function CookieRoute(owner: 'user' | 'admin', options: RouteOptions): MethodDecorator {
  const rule: RouteRule = {
    access: owner === 'admin' ? 'cookie-admin' : 'cookie',
    rateClass: owner,
    ...refusals(options),
  };
  const wrongAudienceCode: ErrorCode[] =
    owner === 'admin' ? [options.wrongAudienceCode ?? 'ADMIN_REQUIRED'] : [];
  return route(rule, options, [...wrongAudienceCode, 'FORBIDDEN', ...TOKEN_ERRORS]);
}

/** A route that either token opens. */
export function SignedInRoute(options: RouteOptions): MethodDecorator {
  return route({ access: 'any', rateClass: 'user', ...refusals(options) }, options, [
    'FORBIDDEN',
    ...TOKEN_ERRORS,
  ]);
}

/** A route without a token; with `optional` a token is looked at when there is one. */
export function PublicRoute(options: RouteOptions & { optional?: boolean }): MethodDecorator {
  return route(
    { access: options.optional ? 'optional' : 'none', rateClass: 'public', ...refusals(options) },
    options,
    [],
  );
}

const KEY_ERRORS: ErrorCode[] = ['IDEMPOTENCY_KEY_REUSED', 'IDEMPOTENCY_IN_PROGRESS'];
const TOKEN_ERRORS: ErrorCode[] = ['TOKEN_MISSING', 'TOKEN_EXPIRED', 'TOKEN_INVALID', 'CSRF_INVALID'];

function refusals(options: RouteOptions): Partial<RouteRule> {
  const { unexpected, wrongAudienceCode, rateClass, idempotent, developmentOnly } = options;
  return {
    ...(unexpected ? { unexpected } : {}),
    ...(wrongAudienceCode ? { wrongAudienceCode } : {}),
    ...(rateClass ? { rateClass } : {}),
    ...(idempotent ? { idempotent } : {}),
    ...(developmentOnly ? { developmentOnly } : {}),
  };
}

const KEY_HEADER_FACTS = {
  name: KEY_HEADER,
  required: false,
  description:
    'A retry with the same key within 24 hours is answered as the first request was, with Idempotency-Replayed: true.',
  schema: { type: 'string', pattern: KEY_PATTERN },
} as const;

function route(rule: RouteRule, options: RouteOptions, accessErrors: Refusal[]): MethodDecorator {
  const status = options.status ?? 200;
  const limited: ErrorCode[] = ['none', 'sign-in'].includes(rule.rateClass) ? [] : ['RATE_LIMIT_EXCEEDED'];
  const errors: Refusal[] = [
    ...accessErrors,
    ...(options.errors ?? []),
    ...(options.idempotent ? KEY_ERRORS : []),
    ...limited,
    ...(rule.developmentOnly ? (['NOT_FOUND'] as const) : []),
    options.unexpected ?? 'INTERNAL_SERVER_ERROR',
  ];
  const views = [options.data, options.variant, options.summaryResponse, options.paged]
    .flat()
    .filter((view) => typeof view === 'function');
  const decorators = [
    SetMetadata(ROUTE_RULE, rule),
    HttpCode(status),
    ApiOperation({ summary: options.summary, ...permissionText(rule) }),
    ApiExtraModels(...views),
    ApiResponse({ status, description: options.summary, ...answerOf(options) }),
    ApiExtension(REFUSALS, errors),
    ApiExtension(HEADER_FACTS, {
      isLimited: rule.rateClass !== 'none',
      isReplayed: options.idempotent === true,
      setsCookie: options.setsCookie === true,
    } satisfies HeaderFacts),
  ];
  if (isForAdmins(rule)) decorators.push(ApiExtension('x-permission', rule.permission ?? 'any'));
  if (rule.rateClass !== 'none') decorators.push(ApiExtension('x-rate-limit', rule.rateClass));
  if (options.healthResponse) {
    decorators.push(ApiResponse({ status: 503, description: options.summary, ...answerOf(options) }));
  }
  if (options.idempotent) decorators.push(ApiHeader(KEY_HEADER_FACTS));
  if (options.bearer === 'identity-provider') decorators.push(UseGuards(IdentityProviderGuard));
  decorators.push(...waysIn(rule.access, options.bearer).map((schemes) => ApiSecurity(schemes)));
  return applyDecorators(...(decorators as MethodDecorator[]));
}

export function isForAdmins({ access }: RouteRule): boolean {
  return access === 'admin' || access === 'cookie-admin';
}

function permissionText(rule: RouteRule): { description?: string } {
  if (!isForAdmins(rule)) return {};
  if (!rule.permission) return { description: 'Any admin may call it.' };
  return {
    description:
      rule.permission === '*'
        ? 'Needs all permissions (`*`).'
        : `Needs the permission \`${rule.permission}\`.`,
  };
}

/** The ways in as the document has them: each names all that has to be sent together. */
function waysIn(access: Access, bearer: RouteOptions['bearer']): Record<string, string[]>[] {
  if (bearer === 'metrics') return [{}, { [bearer]: [] }]; // without a token outside production
  if (bearer) return [{ [bearer]: [] }];
  if (access === 'none') return [];
  const cookie = (owner: string) => ({ [`${owner}-cookie`]: [], csrf: [] });
  if (access === 'cookie') return [cookie('user')];
  if (access === 'cookie-admin') return [cookie('admin')];
  const owners = access === 'user' || access === 'admin' ? [access] : ['user', 'admin'];
  const ways = [...owners.map((owner) => ({ [owner]: [] })), ...owners.map(cookie)];
  return access === 'optional' ? [{}, ...ways] : ways;
}

/** What stands in the document for a regular answer. */
function answerOf(
  options: RouteOptions,
): { schema: Schema } | { content: Record<string, { schema: Schema }> } {
  if (options.plainText) return { content: { 'text/plain': { schema: { type: 'string' } } } };
  const schema = options.data ? envelopeSchema(options) : {};
  if (!options.csv) return { schema };
  return { content: { 'application/json': { schema }, 'text/csv': { schema: { type: 'string' } } } };
}

type Schema = NonNullable<Extract<Parameters<typeof ApiResponse>[0], { schema: unknown }>['schema']>;

function envelopeSchema(options: RouteOptions): Schema {
  const reference = (view: View) => ({ $ref: getSchemaPath(view) });
  const data = Array.isArray(options.data)
    ? { type: 'array', items: reference(options.data[0]) }
    : reference(options.data as View);
  const extra: Record<string, unknown> = { data, ...options.extraFields };
  if (options.paged) {
    extra.pagination =
      options.paged === true ? { $ref: '#/components/schemas/Pagination' } : reference(options.paged);
  }
  if (options.summaryResponse) extra.summary = reference(options.summaryResponse);
  if (options.healthResponse) return envelopeOf('Verdict', extra);
  if (!options.variant) return envelopeOf('Success', extra);
  return {
    anyOf: [envelopeOf('Success', extra), envelopeOf('Success', { data: reference(options.variant) })],
  };
}

function envelopeOf(kind: 'Success' | 'Verdict', properties: Record<string, unknown>): Schema {
  return {
    allOf: [
      { $ref: `#/components/schemas/${kind}` },
      { type: 'object', required: Object.keys(properties), properties },
    ],
  } as Schema;
}
