// What this browser keeps of earlier checks: without an old checkpoint, a history that was rewritten looks like any other.

const KEYS = 'proofs.keys';
const CHECKPOINT = 'proofs.checkpoint';
const dayKey = (userId: string, asset: string) => `proofs.day.${asset}.${userId}`;

export interface KeptDay {
  day: string;
  leafIndex: number;
  root: string;
  total: string;
}

export const keptKeys = (): string | undefined => localStorage.getItem(KEYS) ?? undefined;
export const keptCheckpoint = (): string | undefined => localStorage.getItem(CHECKPOINT) ?? undefined;

export function keptDay(userId: string, asset: string): KeptDay | undefined {
  const text = localStorage.getItem(dayKey(userId, asset));
  return text === null ? undefined : (JSON.parse(text) as KeptDay);
}

export function keep(kept: {
  keys?: string;
  checkpoint?: string;
  day?: { userId: string; asset: string; line: KeptDay };
}): void {
  if (kept.keys) localStorage.setItem(KEYS, kept.keys);
  if (kept.checkpoint) localStorage.setItem(CHECKPOINT, kept.checkpoint);
  if (kept.day) localStorage.setItem(dayKey(kept.day.userId, kept.day.asset), JSON.stringify(kept.day.line));
}

/** Forgets what was kept, for a platform that was set up anew at the same address, as a sandbox is. */
export function forgetProofs(): void {
  for (const key of Object.keys(localStorage)) if (key.startsWith('proofs.')) localStorage.removeItem(key);
}
