import { QueryClient } from '@tanstack/react-query';
import { ApiError } from './client.ts';

const FRESH_MS = 5_000;
/** Lists are read again after this time: not every change of a colleague is announced by an event. */
export const REFRESH_MS = 15_000;

/** A read is repeated up to three times if no answer came, or if the server is overloaded (503) or limits the rate (429). */
const mayRetry = (count: number, error: Error) =>
  count < 3 && (!(error instanceof ApiError) || error.status === 503 || error.status === 429);

export const createQueries = () =>
  new QueryClient({
    defaultOptions: { queries: { staleTime: FRESH_MS, retry: mayRetry }, mutations: { retry: false } },
  });
