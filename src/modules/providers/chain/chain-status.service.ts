import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock.js';
import { ChainClient, type ChainHead } from './chain.client.js';

export interface ChainStatus {
  readonly head: ChainHead;
  readonly latencyMs: number;
  readonly checkedAt: Date;
}

@Injectable()
export class ChainStatusService {
  constructor(
    private readonly chain: ChainClient,
    private readonly clock: Clock,
  ) {}

  /** Reads the state of the chain from its node now. Throws BLOCKCHAIN_ERROR. */
  async getStatus(): Promise<ChainStatus> {
    const beganMs = performance.now();
    const head = await this.chain.head();
    return {
      head,
      latencyMs: performance.now() - beganMs,
      checkedAt: this.clock.now(),
    };
  }
}
