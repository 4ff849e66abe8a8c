import { Module } from '@nestjs/common';
import { QueuesController } from './queues.controller.js';
import { QueuesRepository } from './queues.repository.js';
import { QueuesService } from './queues.service.js';

@Module({
  controllers: [QueuesController],
  providers: [QueuesService, QueuesRepository],
})
export class QueuesModule {}
