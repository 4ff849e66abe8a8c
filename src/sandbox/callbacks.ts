import { setTimeout as sleep } from 'node:timers/promises';
import type { Faults, Party } from './faults.js';

/** A request of a provider to the platform. Its headers are computed for each attempt, because they contain the time. */
export interface Callback {
  url(): string;
  headers(): Record<string, string>;
  body: string;
}

export interface Delivery {
  /**
   * `dropped` and `held back` are effects of a fault. `given up`: all attempts failed. `stopped`: the sandbox stopped before
   * the platform had accepted the callback.
   */
  outcome: 'sent' | 'dropped' | 'held back' | 'given up' | 'stopped';
  /** The status of the response to the last attempt; absent if it got none or the callback was not sent. */
  status?: number;
}

export interface RetryPolicy {
  attempts: number;
  firstDelayMs: number;
  longestDelayMs: number;
}

// The nine waits take 45 seconds in total, longer than a restart of the platform.
const DEFAULT_RETRY: RetryPolicy = { attempts: 10, firstDelayMs: 250, longestDelayMs: 10_000 };
const ANSWER_WITHIN_MS = 10_000;

/** Sends a party's callbacks, repeats them until a 2xx response, and applies the party's present fault. */
export class CallbackSender {
  private readonly stopping = new AbortController();
  private held: Callback[] = [];

  constructor(
    private readonly party: Party,
    private readonly faults: Faults,
    private readonly retry: RetryPolicy = DEFAULT_RETRY,
  ) {}

  async deliver(callback: Callback): Promise<Delivery> {
    switch (this.faults.consumeFault(this.party, 'callbacks')) {
      case undefined:
        return this.sendWithHeld(callback);
      case 'duplicate':
        await this.sendWithHeld(callback);
        return this.send(callback);
      case 'reorder':
        // Of two callbacks the first is held back until the second has been sent.
        if (this.held.length > 0) return this.sendWithHeld(callback);
        this.held.push(callback);
        return { outcome: 'held back' };
      default: // drop; for the custody provider also timeout and error
        return { outcome: 'dropped' };
    }
  }

  /** Sends the callbacks that `reorder` held back. Also called when the fault ends. */
  async sendHeldCallbacks(): Promise<void> {
    for (const callback of this.held.splice(0)) await this.send(callback);
  }

  stop(): void {
    this.stopping.abort();
  }

  private async sendWithHeld(callback: Callback): Promise<Delivery> {
    const delivery = await this.send(callback);
    await this.sendHeldCallbacks();
    return delivery;
  }

  private async send(callback: Callback): Promise<Delivery> {
    let delayMs = this.retry.firstDelayMs;
    for (let attempt = 1; ; attempt += 1) {
      const status = await this.post(callback);
      if (status !== undefined && status >= 200 && status < 300) return { outcome: 'sent', status };
      if (this.stopping.signal.aborted) return { outcome: 'stopped', status };
      if (attempt >= this.retry.attempts) return { outcome: 'given up', status };
      await sleep(delayMs, undefined, { signal: this.stopping.signal }).catch(() => undefined);
      delayMs = Math.min(delayMs * 2, this.retry.longestDelayMs);
    }
  }

  private async post(callback: Callback): Promise<number | undefined> {
    if (this.stopping.signal.aborted) return undefined;
    try {
      const answer = await fetch(callback.url(), {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', ...callback.headers() },
        body: callback.body,
        signal: AbortSignal.any([this.stopping.signal, AbortSignal.timeout(ANSWER_WITHIN_MS)]),
      });
      await answer.arrayBuffer();
      return answer.status;
    } catch {
      return undefined;
    }
  }
}
