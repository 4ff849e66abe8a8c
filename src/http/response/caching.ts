import type { Response } from 'express';
import { DAY_MS } from '../../common/durations.js';

const YEAR_SECONDS = (365 * DAY_MS) / 1000;

/** Lets clients and proxies store the response, which must be public. Called after the work, since errors are never stored. */
export function allowCaching(response: Response, seconds: number): void {
  response.setHeader('Cache-Control', `public, max-age=${seconds}`);
}

/** For a response that never changes. */
export function allowPermanentCaching(response: Response): void {
  response.setHeader('Cache-Control', `public, max-age=${YEAR_SECONDS}, immutable`);
}
