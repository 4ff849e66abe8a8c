import type { QueueCount } from '../../../lists/queue-totals.js';
import type { QueueCountResponse, QueuesResponse, WithdrawalQueuesResponse } from './dto/queues.response.js';
import type { CountedQueue, QueueName, WaitingStatus } from './queues.repository.js';
import type { QueueCounts } from './queues.service.js';

export function toQueuesResponse({ readable, counts, approvals }: QueueCounts): QueuesResponse {
  const countOf = (queue: QueueName) => {
    const counted = counts.find((count) => count.queue === queue);
    return counted ? toCountResponse(counted) : null;
  };
  return {
    withdrawals: readable.includes('withdrawals') ? toWithdrawalQueuesResponse(counts) : null,
    approvals: approvals && toCountResponse(approvals),
    alerts: countOf('alerts'),
    breaks: countOf('breaks'),
    screening: countOf('screening'),
    yieldReports: countOf('yieldReports'),
    investments: countOf('investments'),
    transfers: countOf('transfers'),
  };
}

function toWithdrawalQueuesResponse(counts: readonly CountedQueue[]): WithdrawalQueuesResponse {
  const queueOf = (status: WaitingStatus) => {
    const counted = counts.find((count) => count.status === status) as CountedQueue;
    return { ...toCountResponse(counted), amount: counted.amount.toWire() };
  };
  return {
    pending: queueOf('pending'),
    approved: queueOf('approved'),
    processing: queueOf('processing'),
    failed: queueOf('failed'),
  };
}

function toCountResponse({ count, oldest }: QueueCount): QueueCountResponse {
  return { count, oldest: oldest?.toISOString() ?? null };
}
