import { useRead } from './use-read.ts';

/**
 * The service's time when it was last read: the sandbox moves its clock, and a computer's clock can be wrong. Undefined until it
 * is read.
 */
export function useServiceTime(): string | undefined {
  const { data } = useRead('GET /api/ping');
  return data?.data.timestamp;
}
