import { useSyncExternalStore } from 'react';
import { isSandbox } from '../api/sign-in.ts';

/** Smaller changes of the difference are ignored: they come from the duration of requests. */
const NOTICED_MS = 1000;
/** Two minutes: more than the clocks of computers differ by accident. */
const MOVED_MS = 120_000;
/** By how much the service's clock is ahead of this computer's. */
let aheadMs = 0;
const listeners = new Set<() => void>();

/** Stores how far the service's clock is from this computer's, which can be wrong; the sandbox moves the service's clock. */
export function setServiceTime(at: string): void {
  const ahead = Date.parse(at) - Date.now();
  if (Math.abs(ahead - aheadMs) < NOTICED_MS) return;
  aheadMs = ahead;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** By how many milliseconds the service's clock is ahead of this computer's. */
export const useClockLead = (): number => useSyncExternalStore(subscribe, () => aheadMs);

/** Whether somebody has moved the clock of the sandbox, so that it says another time than real ones. */
export function useIsClockMoved(): boolean {
  const lead = useClockLead();
  return isSandbox && Math.abs(lead) > MOVED_MS;
}
