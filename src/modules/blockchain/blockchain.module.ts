import { Module } from '@nestjs/common';
import { ChainSightings } from './chain-sightings.js';
import { Chain } from './chain.js';
import { ViemChain } from './viem-chain.js';

/** The EVM chain, for whoever needs to look something up there. */
@Module({
  providers: [{ provide: Chain, useClass: ViemChain }, ChainSightings],
  exports: [Chain, ChainSightings],
})
export class BlockchainModule {}
