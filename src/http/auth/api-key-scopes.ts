/** What a user can permit an API key to do. The rule of each route names the scope that opens it. */
export const API_KEY_SCOPES = [
  'balance:read',
  'investments:read',
  'investments:write',
  'deposits:read',
  'withdrawals:read',
  'withdrawals:write',
  'transactions:read',
  'notifications:read',
] as const;
export type ApiKeyScope = (typeof API_KEY_SCOPES)[number];

/** True for a scope that permits more than reading. */
export function isWriteScope(scope: ApiKeyScope): boolean {
  return scope.endsWith(':write');
}

/** The scope that a route requires of an API key; `any`: every key may call the route. */
export type RouteScope = ApiKeyScope | 'any';

export const API_KEY_MARK = 'sk_';

/** True for the value of an Authorization header that carries an API key, or a text that begins like one. */
export function carriesApiKey(authorization: string | undefined): boolean {
  return /^Bearer +sk_/i.test(authorization ?? '');
}
