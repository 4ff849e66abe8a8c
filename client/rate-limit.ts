export interface RateLimit {
  /** Requests of the route's class that are allowed in a window. */
  limit: number;
  remaining: number;
  /** End of the window in seconds since 1970. */
  reset: number;
}

/** The rate limit that a response or an ApiError states in its headers; undefined if it states none. */
export function rateLimitOf(headers: Headers): RateLimit | undefined {
  const [limit, remaining, reset] = ['limit', 'remaining', 'reset'].map((name) =>
    headers.get(`x-ratelimit-${name}`),
  );
  if (!limit || !remaining || !reset) return undefined;
  return { limit: Number(limit), remaining: Number(remaining), reset: Number(reset) };
}
