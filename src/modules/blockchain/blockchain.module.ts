import { Module } from '@nestjs/common';
import { ChainClient } from './chain.client.js';
import { ChainStatusController } from './chain-status.controller.js';
import { ChainStatusService } from './chain-status.service.js';
import { NodePriorityService } from './node-priority.service.js';
import { NodeAccessService } from './rpc/node-access.service.js';
import { RpcNodeClient } from './rpc/rpc-node.client.js';
import { RpcProxyService } from './rpc/rpc-proxy.service.js';
import { RpcController } from './rpc/rpc.controller.js';
import { TransactionLookupService } from './transaction-lookup.service.js';
import { ViemChainClient } from './viem-chain.client.js';

@Module({
  controllers: [ChainStatusController, RpcController],
  providers: [
    { provide: ChainClient, useClass: ViemChainClient },
    ChainStatusService,
    NodeAccessService,
    NodePriorityService,
    RpcNodeClient,
    RpcProxyService,
    TransactionLookupService,
  ],
  exports: [ChainClient, TransactionLookupService],
})
export class BlockchainModule {}
