import { keepPreviousData, useQuery, type UseQueryResult } from '@tanstack/react-query';
import { api, type Answer, type RequestOf, type Routes } from './client.ts';

export type ReadRoute = Extract<keyof Routes, `GET ${string}`>;

interface ReadOptions<Answer> {
  enabled?: boolean;
  /** Milliseconds until the route is read again, computed from its last answer; false: it is not read again. */
  refetchInterval?: (answer: Answer | undefined) => number | false;
  /** Shows the former page of a list until the next one has arrived. */
  keepPrevious?: boolean;
  staleTime?: number;
  retry?: boolean;
}

/** Reads a route. The query key begins with the route, so that the handlers of live events can invalidate it by its name. */
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
