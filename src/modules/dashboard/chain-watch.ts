import { Injectable } from '@nestjs/common';
import { Chain } from '../blockchain/chain.js';

const FRESH_MS = 2000;
const PATIENCE_MS = 1000;

export type ChainHealth = 'healthy' | 'unhealthy';

/** Whether the chain answers, without every dashboard asking it or waiting for it. */
@Injectable()
export class ChainWatch {
  private last: { askedAtMs: number; health: Promise<ChainHealth> } | undefined;

  constructor(private readonly chain: Chain) {}

  health(): Promise<ChainHealth> {
    const nowMs = performance.now();
    if (!this.last || nowMs - this.last.askedAtMs > FRESH_MS)
      this.last = { askedAtMs: nowMs, health: this.ask() };
    return this.last.health;
  }

  private ask(): Promise<ChainHealth> {
    return new Promise((resolve) => {
      const late = setTimeout(() => resolve('unhealthy'), PATIENCE_MS);
      const answered = (health: ChainHealth) => () => {
        clearTimeout(late);
        resolve(health);
      };
      this.chain.newestBlock().then(answered('healthy'), answered('unhealthy'));
    });
  }
}
