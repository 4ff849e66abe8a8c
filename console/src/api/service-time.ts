import { useEffect } from 'react';
import { setServiceTime } from '../ui/service-clock.ts';
import { REFRESH_MS } from './queries.ts';
import { isSandbox } from './sign-in.ts';
import { useRead } from './use-read.ts';

/**
 * The service's time when it was last read: the sandbox moves its clock, and a computer's clock can be wrong. Undefined until it
 * is read.
 */
export function useServiceTime(): string | undefined {
  const { data } = useRead('GET /api/ping');
  return data?.data.timestamp;
}

/** Follows the service's clock, which somebody else can move in the sandbox. */
export function useServiceClock(): void {
  const refetchInterval = () => (isSandbox ? REFRESH_MS : false);
  const { data } = useRead('GET /api/ping', undefined, { refetchInterval });
  const time = data?.data.timestamp;
  useEffect(() => {
    if (time) setServiceTime(time);
  }, [time]);
}
