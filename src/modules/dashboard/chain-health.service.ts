import { Injectable } from '@nestjs/common';
import { AppConfig } from '../../config/app-config.js';
import { Clock } from '../../common/clock.js';
import { ChainClient, chainCondition, type ChainCondition } from '../blockchain/chain.client.js';

const FRESH_MS = 2000;
const TIMEOUT_MS = 1000;

export interface ChainHealth {
  readonly status: ChainCondition['status'];
  readonly checkedAt: Date;
}

/** Caches the condition of the chain, so that dashboards neither query nor wait for the chain each time. */
@Injectable()
export class ChainHealthService {
  private last: { requestedAtMs: number; health: Promise<ChainHealth> } | undefined;

  constructor(
    private readonly chain: ChainClient,
    private readonly config: AppConfig,
    private readonly clock: Clock,
  ) {}

  /** Unhealthy if the chain does not answer within a second. */
  chainHealth(): Promise<ChainHealth> {
    const nowMs = performance.now();
    if (!this.last || nowMs - this.last.requestedAtMs > FRESH_MS)
      this.last = { requestedAtMs: nowMs, health: this.queryChain(this.clock.now()) };
    return this.last.health;
  }

  private queryChain(checkedAt: Date): Promise<ChainHealth> {
    return new Promise((resolve) => {
      const settle = (status: ChainHealth['status']) => {
        clearTimeout(timer);
        resolve({ status, checkedAt });
      };
      const timer = setTimeout(settle, TIMEOUT_MS, 'unhealthy');
      this.chain.state().then(
        (state) => settle(chainCondition(state, this.config.CHAIN_ID).status),
        () => settle('unhealthy'),
      );
    });
  }
}
