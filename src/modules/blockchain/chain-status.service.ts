import { Injectable } from '@nestjs/common';
import { AppConfig } from '../../config/app-config.js';
import { Clock } from '../../common/clock.js';
import { Chain } from './chain.js';
import { toChainStatusResponse, type ChainStatusResponse } from './dto/chain-status.response.js';

/** The state of the chain as its node tells it now. */
@Injectable()
export class ChainStatusService {
  constructor(
    private readonly chain: Chain,
    private readonly config: AppConfig,
    private readonly clock: Clock,
  ) {}

  /** Throws BLOCKCHAIN_ERROR. */
  async status(): Promise<ChainStatusResponse> {
    const beganMs = performance.now();
    const head = await this.chain.head();
    return toChainStatusResponse(head, {
      expectedChainId: this.config.CHAIN_ID,
      latencyMs: performance.now() - beganMs,
      checkedAt: this.clock.now(),
    });
  }
}
