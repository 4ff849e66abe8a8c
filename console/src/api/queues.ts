import { useQuery } from '@tanstack/react-query';
import { api } from './client.ts';
import { REFRESH_MS } from './queries.ts';

/** How many records of each kind wait for an admin; those that the admin may not read are null. */
export const useQueues = () =>
  useQuery({
    queryKey: ['queues'],
    queryFn: async () => (await api.call('GET /api/admin/queues')).data,
    refetchInterval: REFRESH_MS,
  }).data;
