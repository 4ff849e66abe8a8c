import { Module } from '@nestjs/common';
import { ChainModule } from '../chain/chain.module.js';
import { NodeAccessService } from './node-access.service.js';
import { RpcNodeClient } from './rpc-node.client.js';
import { RpcProxyService } from './rpc-proxy.service.js';
import { RpcController } from './rpc.controller.js';

/** Passes JSON-RPC calls of clients to the node. */
@Module({
  imports: [ChainModule],
  controllers: [RpcController],
  providers: [NodeAccessService, RpcNodeClient, RpcProxyService],
})
export class RpcProxyModule {}
