import { Injectable } from '@nestjs/common';
import { Job } from '../../../jobs/job.decorator.js';
import { ApprovalsService } from './approvals.service.js';

@Injectable()
export class ApprovalsJob {
  constructor(private readonly approvals: ApprovalsService) {}

  @Job({
    name: 'approval-expiry',
    purpose: 'Expires the requests for changes that no second admin has decided within 72 hours',
    everySeconds: 300,
  })
  async expireOverdue(stopping: AbortSignal): Promise<void> {
    await this.approvals.expireOverdue(stopping);
  }
}
