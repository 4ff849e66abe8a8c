import { setTimeout as sleep } from 'node:timers/promises';

const PATIENCE_MS = 30_000; // a busy machine is slow, too

/** Tries until it holds; fails as the last try failed. Whatever a test does to the clocks, it has its time. */
export async function eventually(holds: () => Promise<void>, patienceMs = PATIENCE_MS): Promise<void> {
  const began = process.hrtime.bigint();
  for (;;) {
    try {
      return await holds();
    } catch (error) {
      if (process.hrtime.bigint() - began > BigInt(patienceMs) * 1_000_000n) throw error;
      await sleep(20);
    }
  }
}
