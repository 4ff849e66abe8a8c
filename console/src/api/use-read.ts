import { keepPreviousData, useQuery, type UseQueryResult } from '@tanstack/react-query';
import { api, type Answer, type RequestOf, type Routes } from './client.ts';

export type ReadRoute = Extract<keyof Routes, `GET ${string}`>;

interface ReadOptions<Answer> {
  enabled?: boolean;
  /** Milliseconds until it is read again, by what was read. */
  refetchInterval?: (answer: Answer | undefined) => number | false;
  /** Shows the former page of a list until the next one has arrived. */
  keepPrevious?: boolean;
  staleTime?: number;
  retry?: boolean;
}

/** Reads a route. The key begins with the route, so that events can name what they change. */
export function useRead<Route extends ReadRoute>(
  route: Route,
  request?: RequestOf<Route>,
  { keepPrevious, refetchInterval, ...options }: ReadOptions<Answer<Route>> = {},
): UseQueryResult<Answer<Route>, Error> {
  return useQuery<Answer<Route>, Error>({
    queryKey: [route, request ?? {}],
    queryFn: async ({ signal }) => {
      const call = api.call.bind(api) as (name: Route, input: object) => Promise<Answer<Route>>;
      return call(route, { ...request, signal });
    },
    ...(keepPrevious ? { placeholderData: keepPreviousData } : {}),
    ...(refetchInterval ? { refetchInterval: ({ state }) => refetchInterval(state.data) } : {}),
    ...options,
  });
}
