import { setTimeout as sleep } from 'node:timers/promises';

const TIMEOUT_MS = 30_000; // long, because the machine may be busy

/** Repeats `assertion` until it passes; after the time-out it throws the last error. Mocked clocks do not affect it. */
export async function eventually(assertion: () => Promise<void>, timeoutMs = TIMEOUT_MS): Promise<void> {
  const began = process.hrtime.bigint();
  for (;;) {
    try {
      return await assertion();
    } catch (error) {
      if (process.hrtime.bigint() - began > BigInt(timeoutMs) * 1_000_000n) throw error;
      await sleep(20);
    }
  }
}
