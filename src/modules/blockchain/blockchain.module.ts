import { Module } from '@nestjs/common';
import { TransactionLookupService } from './transaction-lookup.service.js';
import { ChainClient } from './chain.client.js';
import { ChainStatusController } from './chain-status.controller.js';
import { ChainStatusService } from './chain-status.service.js';
import { NodePriorityService } from './node-priority.service.js';
import { NodeAccessService } from './rpc/node-access.service.js';
import { RpcNodeClient } from './rpc/rpc-node.client.js';
import { NodeTime } from './rpc/node-time.js';
import { RpcProxyService } from './rpc/rpc-proxy.service.js';
import { RpcController } from './rpc/rpc.controller.js';
import { ViemChainClient } from './viem-chain.client.js';

/** The EVM chain, for whoever needs to look something up there. */
@Module({
  controllers: [ChainStatusController, RpcController],
  providers: [
    { provide: ChainClient, useClass: ViemChainClient },
    TransactionLookupService,
    ChainStatusService,
    NodeAccessService,
    RpcNodeClient,
    NodeTime,
    NodePriorityService,
    RpcProxyService,
  ],
  exports: [ChainClient, TransactionLookupService],
})
export class BlockchainModule {}
