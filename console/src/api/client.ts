import { ApiError, Client } from 'stablecoin-platform-client';
import type { Routes } from 'stablecoin-platform-client/routes';

export { ApiError };
export type { LiveEvent, LiveState } from 'stablecoin-platform-client/live';
export type { RequestOf } from 'stablecoin-platform-client';
export type { Routes };

/** What a route answers, such as `Answer<'GET /api/user/balance'>['data']`. */
export type Answer<Route extends keyof Routes> = Routes[Route]['answer'];

let csrfToken: string | undefined;

/** The only way to the API. The session is in a cookie, which scripts cannot read. */
export const api = new Client({ baseUrl: location.origin, csrfToken: () => csrfToken });

/** For the one call that signs in with a token of the identity provider. */
export const apiWithToken = (token: string) => new Client({ baseUrl: location.origin, token });

/** The token that every request of a cookie session needs beside the cookie; it comes with the sign-in. */
export function setCsrfToken(token: string | undefined): void {
  csrfToken = token;
}

export const hasCode = (error: unknown, ...codes: string[]): error is ApiError =>
  error instanceof ApiError && codes.includes((error as ApiError).code);
