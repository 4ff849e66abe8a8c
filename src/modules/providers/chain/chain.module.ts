import { Module } from '@nestjs/common';
import { ChainClient } from './chain.client.js';
import { ChainStatusController } from './chain-status.controller.js';
import { NodeCapabilities, NodePriorityService } from './node-state.service.js';
import { TransactionLookupService } from './transaction-lookup.service.js';
import { ViemChainClient } from './viem-chain.client.js';

@Module({
  controllers: [ChainStatusController],
  providers: [
    { provide: ChainClient, useClass: ViemChainClient },
    NodeCapabilities,
    NodePriorityService,
    TransactionLookupService,
  ],
  exports: [ChainClient, NodeCapabilities, NodePriorityService, TransactionLookupService],
})
export class ChainModule {}
