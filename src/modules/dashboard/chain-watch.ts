import { Injectable } from '@nestjs/common';
import { AppConfig } from '../../config/app-config.js';
import { Clock } from '../../common/clock.js';
import { ChainClient, chainCondition, type ChainCondition } from '../blockchain/chain.client.js';

const FRESH_MS = 2000;
const PATIENCE_MS = 1000;

export interface ChainHealth {
  readonly status: ChainCondition['status'];
  readonly checkedAt: Date;
}

/** Whether the chain can be used, without every dashboard asking it or waiting for it. */
@Injectable()
export class ChainWatch {
  private last: { askedAtMs: number; health: Promise<ChainHealth> } | undefined;

  constructor(
    private readonly chain: ChainClient,
    private readonly config: AppConfig,
    private readonly clock: Clock,
  ) {}

  health(): Promise<ChainHealth> {
    const nowMs = performance.now();
    if (!this.last || nowMs - this.last.askedAtMs > FRESH_MS)
      this.last = { askedAtMs: nowMs, health: this.ask(this.clock.now()) };
    return this.last.health;
  }

  private ask(checkedAt: Date): Promise<ChainHealth> {
    return new Promise((resolve) => {
      const answer = (status: ChainHealth['status']) => {
        clearTimeout(late);
        resolve({ status, checkedAt });
      };
      const late = setTimeout(answer, PATIENCE_MS, 'unhealthy');
      this.chain.state().then(
        (state) => answer(chainCondition(state, this.config.CHAIN_ID).status),
        () => answer('unhealthy'),
      );
    });
  }
}
