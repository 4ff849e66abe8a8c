import { setTimeout as sleep } from 'node:timers/promises';

const PATIENCE_MS = 30_000; // a busy machine is slow, too

/** Tries until it holds; fails as the last try failed. */
export async function eventually(holds: () => Promise<void>, patienceMs = PATIENCE_MS): Promise<void> {
  const deadline = Date.now() + patienceMs;
  for (;;) {
    try {
      return await holds();
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await sleep(20);
    }
  }
}
