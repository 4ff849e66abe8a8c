import { Controller, Get } from '@nestjs/common';
import { CurrentAdmin, type AdminPrincipal } from '../../../http/auth/principal.js';
import { AdminRoute } from '../../../http/auth/route.js';
import { QueuesResponse } from './dto/queues.response.js';
import { toQueuesResponse } from './queues.mapper.js';
import { QueuesService } from './queues.service.js';

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
