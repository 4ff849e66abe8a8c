import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock.js';
import { AppConfig } from '../../../config/app-config.js';
import { ChainClient, type ChainHead } from './chain.client.js';

export interface ChainStatus {
  readonly head: ChainHead;
  readonly expectedChainId: number;
  readonly latencyMs: number;
  readonly checkedAt: Date;
}

export interface UsdcContract {
  readonly chainId: number;
  /** Checksummed. */
  readonly address: string;
}

@Injectable()
export class ChainStatusService {
  constructor(
    private readonly chain: ChainClient,
    private readonly config: AppConfig,
    private readonly clock: Clock,
  ) {}

  /** Reads the state of the chain from its node now. Throws BLOCKCHAIN_ERROR. */
  async getStatus(): Promise<ChainStatus> {
    const beganMs = performance.now();
    const head = await this.chain.head();
    return {
      head,
      expectedChainId: this.config.CHAIN_ID,
      latencyMs: performance.now() - beganMs,
      checkedAt: this.clock.now(),
    };
  }

  getUsdcContract(): UsdcContract {
    const { CHAIN_ID: chainId, USDC_CONTRACT_ADDRESS: address } = this.config;
    return { chainId, address };
  }
}
