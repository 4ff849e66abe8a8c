import { Injectable } from '@nestjs/common';
import { permits, type Permission } from '../../../http/auth/permissions.js';
import type { AdminPrincipal } from '../../../http/auth/principal.js';
import { ApprovalsService } from '../../identity/approvals/approvals.service.js';
import type { QueueCount } from '../../../lists/queue-totals.js';
import { QUEUES, QueuesRepository, type CountedQueue, type QueueName } from './queues.repository.js';

/** The permission to read the list of the records that wait in the queue. */
const PERMISSION_OF_QUEUE: Record<QueueName, Permission> = {
  withdrawals: 'withdrawals:read',
  alerts: 'withdrawals:read',
  breaks: 'transactions:read',
  screening: 'withdrawals:read',
  yieldReports: '*',
  investments: 'investments:read',
  transfers: 'transactions:read',
};

/** The counts of the queues that an admin may read. */
export interface QueueCounts {
  readonly readable: readonly QueueName[];
  readonly counts: readonly CountedQueue[];
  /** Null if the admin may decide about no kind of approval. */
  readonly approvals: QueueCount | null;
}

@Injectable()
export class QueuesService {
  constructor(
    private readonly repository: QueuesRepository,
    private readonly approvals: ApprovalsService,
  ) {}

  async countQueues(admin: AdminPrincipal): Promise<QueueCounts> {
    const readable = QUEUES.filter((name) => permits(admin.permissions, PERMISSION_OF_QUEUE[name]));
    const [counts, approvals] = await Promise.all([
      this.repository.countQueues(readable),
      this.approvals.countPending(admin),
    ]);
    return { readable, counts, approvals };
  }
}
