import { QueryClient } from '@tanstack/react-query';
import { ApiError } from './client.ts';

const FRESH_MS = 5_000;
/** Lists are read again after this time: not every change of a colleague is announced by an event. */
export const REFRESH_MS = 15_000;

/** Refusals are not tried again; a request that found no server or an overloaded one is. */
const mayRetry = (count: number, error: Error) =>
  count < 3 && (!(error instanceof ApiError) || error.status === 503 || error.status === 429);

export const createQueries = () =>
  new QueryClient({
    defaultOptions: { queries: { staleTime: FRESH_MS, retry: mayRetry }, mutations: { retry: false } },
  });
