import { setTimeout as sleep } from 'node:timers/promises';

const TIMEOUT_MS = 30_000; // long, because the machine may be busy

/**
 * Repeats `assertion` until it passes, and returns its result. Throws its last error after the time-out, which mocked clocks do not
 * affect.
 */
export async function eventually<Result>(
  assertion: () => Promise<Result>,
  timeoutMs = TIMEOUT_MS,
): Promise<Result> {
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
