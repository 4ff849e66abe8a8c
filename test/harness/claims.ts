import type { ClaimedItem } from '../../src/jobs/queue.decorator.js';
import type { WorkQueue } from '../../src/jobs/work-queue.js';

/** Claims due items like a process that dies before it attempts them. */
export async function claimWithoutAttempts(queue: WorkQueue): Promise<ClaimedItem[]> {
  const claimed: ClaimedItem[] = [];
  await queue.claimDue((item) => claimed.push(item));
  (Reflect.get(queue, 'running') as Map<string, ClaimedItem>).clear();
  return claimed;
}
