import { Injectable } from '@nestjs/common';
import { AppConfig } from '../../../config/app-config.js';
import { Clock } from '../../../common/clock.js';
import { ChainClient, chainCondition, type ChainCondition } from '../../providers/chain/chain.client.js';

/** From this age on the condition is queried again, and from `MAX_AGE_MS` on dashboards wait for the answer. */
const REFRESH_AFTER_MS = 1000;
const MAX_AGE_MS = 2000;
const TIMEOUT_MS = 1000;

export interface ChainHealth {
  readonly status: ChainCondition['status'];
  readonly checkedAt: Date;
}

interface Query {
  readonly startedAtMs: number;
  readonly health: Promise<ChainHealth>;
}

/** Caches the condition of the chain, so that dashboards neither query nor wait for the chain each time. */
@Injectable()
export class ChainHealthService {
  private answered: Query | undefined;
  private pending: Query | undefined;

  constructor(
    private readonly chain: ChainClient,
    private readonly config: AppConfig,
    private readonly clock: Clock,
  ) {}

  /** Unhealthy if the chain does not answer within a second. */
  getChainHealth(): Promise<ChainHealth> {
    const nowMs = performance.now();
    const { answered } = this;
    const ageMs = answered ? nowMs - answered.startedAtMs : Infinity;
    if (answered && ageMs <= REFRESH_AFTER_MS) return answered.health;
    this.pending ??= this.startQuery(nowMs);
    return answered && ageMs <= MAX_AGE_MS ? answered.health : this.pending.health;
  }

  private startQuery(startedAtMs: number): Query {
    const query: Query = { startedAtMs, health: this.queryChain(this.clock.now()) };
    void query.health.then(() => {
      this.answered = query;
      this.pending = undefined;
    });
    return query;
  }

  /** Never rejects. */
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
