import { useQuery } from '@tanstack/react-query';
import { api } from './client.ts';

const STALE_MS = 60_000; // they change with a restart of the service

/** The tiers of limits that users can have. */
export const useTiers = (isEnabled = true) =>
  useQuery({
    queryKey: ['tiers'],
    queryFn: async () => (await api.call('GET /api/admin/tiers')).data,
    staleTime: STALE_MS,
    enabled: isEnabled,
  }).data;

/** The names of the tiers by their ids; none for an admin who may not read them. */
export function useTierNames(isEnabled: boolean): Readonly<Record<string, string>> {
  const tiers = useTiers(isEnabled) ?? [];
  return Object.fromEntries(tiers.map(({ id, name }) => [id, name]));
}
