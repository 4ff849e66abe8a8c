import { Controller, Get } from '@nestjs/common';
import { CurrentAdmin, type AdminPrincipal } from '../../../http/auth/principal.js';
import { AdminRoute } from '../../../http/auth/route.js';
import { toResponse } from '../../../http/response/to-response.js';
import { QueuesResponse } from './dto/queues.response.js';
import type { CountedQueue, QueueName, WaitingStatus } from './queues.repository.js';
import { QueuesService, type QueueCounts } from './queues.service.js';

@Controller('api/admin/queues')
export class QueuesController {
  constructor(private readonly queues: QueuesService) {}

  @Get()
  @AdminRoute(null, {
    operationId: 'getQueues',
    summary: 'What waits for operators: numbers, amounts and the oldest of each queue',
    data: QueuesResponse,
  })
  async get(@CurrentAdmin() admin: AdminPrincipal): Promise<QueuesResponse> {
    return toQueuesResponse(await this.queues.countQueues(admin));
  }
}

function toQueuesResponse({ readable, counts, approvals }: QueueCounts): QueuesResponse {
  const countOf = (queue: QueueName) => counts.find((count) => count.queue === queue) ?? null;
  // If the admin may read the withdrawals, there is a count of each status.
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
