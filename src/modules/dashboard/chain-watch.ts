import { Injectable } from '@nestjs/common';
import { AppConfig } from '../../config/app-config.js';
import { Chain } from '../blockchain/chain.js';

const FRESH_MS = 2000;
const PATIENCE_MS = 1000;

export type ChainHealth = 'healthy' | 'degraded' | 'unhealthy';

/**
 * Whether the node answers, has caught up and is on the configured chain. Dashboards share one question to the node, and
 * none waits for longer than a second.
 */
@Injectable()
export class ChainWatch {
  private last: { askedAtMs: number; health: Promise<ChainHealth> } | undefined;

  constructor(
    private readonly chain: Chain,
    private readonly config: AppConfig,
  ) {}

  health(): Promise<ChainHealth> {
    const nowMs = performance.now();
    if (!this.last || nowMs - this.last.askedAtMs > FRESH_MS)
      this.last = { askedAtMs: nowMs, health: this.ask() };
    return this.last.health;
  }

  private ask(): Promise<ChainHealth> {
    return new Promise((resolve) => {
      const late = setTimeout(() => resolve('unhealthy'), PATIENCE_MS);
      const answered = (health: ChainHealth) => {
        clearTimeout(late);
        resolve(health);
      };
      this.chain.head().then(
        ({ chainId, isSyncing }) =>
          answered(chainId === this.config.CHAIN_ID && !isSyncing ? 'healthy' : 'degraded'),
        () => answered('unhealthy'),
      );
    });
  }
}
