import { toResponse } from '../../../http/response/to-response.js';
import { QueuesResponse } from './dto/queues.response.js';
import type { CountedQueue, QueueName, WaitingStatus } from './queues.repository.js';
import type { QueueCounts } from './queues.service.js';

export function toQueuesResponse({ readable, counts, approvals }: QueueCounts): QueuesResponse {
  const countOf = (queue: QueueName) => counts.find((count) => count.queue === queue) ?? null;
  const withdrawalsIn = (status: WaitingStatus) =>
    counts.find((count) => count.status === status) as CountedQueue;
  return toResponse(QueuesResponse, {
    withdrawals: readable.includes('withdrawals')
      ? {
          pending: withdrawalsIn('pending'),
          approved: withdrawalsIn('approved'),
          processing: withdrawalsIn('processing'),
          failed: withdrawalsIn('failed'),
        }
      : null,
    approvals,
    alerts: countOf('alerts'),
    breaks: countOf('breaks'),
    screening: countOf('screening'),
    yieldReports: countOf('yieldReports'),
    investments: countOf('investments'),
    transfers: countOf('transfers'),
  });
}
