import { Module } from '@nestjs/common';
import { ChainSightings } from './chain-sightings.js';
import { Chain } from './chain.js';
import { ChainStatusController } from './chain-status.controller.js';
import { ChainStatusService } from './chain-status.service.js';
import { OwnReads } from './own-reads.js';
import { NodeAccess } from './rpc/node-access.js';
import { NodeDoor } from './rpc/node-door.js';
import { NodeTime } from './rpc/node-time.js';
import { RpcProxy } from './rpc/rpc-proxy.js';
import { RpcController } from './rpc/rpc.controller.js';
import { ViemChain } from './viem-chain.js';

/** The EVM chain, for whoever needs to look something up there. */
@Module({
  controllers: [ChainStatusController, RpcController],
  providers: [
    { provide: Chain, useClass: ViemChain },
    ChainSightings,
    ChainStatusService,
    NodeAccess,
    NodeDoor,
    NodeTime,
    OwnReads,
    RpcProxy,
  ],
  exports: [Chain, ChainSightings],
})
export class BlockchainModule {}
