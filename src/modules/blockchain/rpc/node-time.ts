import { Injectable } from '@nestjs/common';
import { AppConfig } from '../../../config/app-config.js';
import { RateLimitStorage } from '../../../http/throttling/rate-limit-storage.js';
import { Meters } from '../../../observability/meters.js';

const WINDOW_MS = 60_000;

/** Limits how long the EVM node works per minute for one network address. */
@Injectable()
export class NodeTime {
  private readonly limitMs: number;

  constructor(
    { RPC_NODE_SECONDS }: AppConfig,
    private readonly storage: RateLimitStorage,
    private readonly meters: Meters,
  ) {
    this.limitMs = RPC_NODE_SECONDS * 1000;
  }

  /** The rest of this minute's milliseconds; 0 or less when they are used up. */
  async msLeftOf(address: string): Promise<number> {
    const usedMs = (await this.storage.readPoints(keyOf(address)))?.consumedPoints ?? 0;
    if (usedMs >= this.limitMs) this.meters.count('rate-limit-refusal', 'node-time');
    return this.limitMs - usedMs;
  }

  async charge(address: string, milliseconds: number): Promise<void> {
    await this.storage.addPoints(keyOf(address), WINDOW_MS, milliseconds);
  }
}

const keyOf = (address: string): string => `node-time:${address}`;
