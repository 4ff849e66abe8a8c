import type { QueueTotals } from '../../lists/queue-totals.js';

/** The summary of a list of pending requests. */
export function toQueueSummary({ total, amount, oldest, averageWaitSeconds, asOf }: QueueTotals) {
  return {
    totalPending: total,
    totalPendingValue: amount.toWire(),
    oldestPending: oldest?.toISOString() ?? null,
    averageWaitTime: averageWaitSeconds,
    asOf: asOf.toISOString(),
  };
}
