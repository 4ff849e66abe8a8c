import { Module } from '@nestjs/common';
import { Chain } from './chain.js';
import { ViemChain } from './viem-chain.js';

/** The EVM chain, for whoever needs to look something up there. */
@Module({
  providers: [{ provide: Chain, useClass: ViemChain }],
  exports: [Chain],
})
export class BlockchainModule {}
