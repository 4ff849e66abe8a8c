import { Module } from '@nestjs/common';
import { ChainClient } from './chain.client.js';
import { ChainStatusController } from './chain-status.controller.js';
import { ChainStatusService } from './chain-status.service.js';
import { NodeCapabilities } from './node-capabilities.service.js';
import { NodePriorityService } from './node-priority.service.js';
import { TransactionLookupService } from './transaction-lookup.service.js';
import { ViemChainClient } from './viem-chain.client.js';

@Module({
  controllers: [ChainStatusController],
  providers: [
    { provide: ChainClient, useClass: ViemChainClient },
    ChainStatusService,
    NodeCapabilities,
    NodePriorityService,
    TransactionLookupService,
  ],
  exports: [ChainClient, NodeCapabilities, NodePriorityService, TransactionLookupService],
})
export class ChainModule {}
