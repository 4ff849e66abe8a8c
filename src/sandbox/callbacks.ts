import { setTimeout as sleep } from 'node:timers/promises';
import type { Faults, Party } from './faults.js';

/** A message to the platform. Its headers are computed for each attempt, because they contain the time. */
export interface Callback {
  url(): string;
  headers(): Record<string, string>;
  body: string;
}

/** `status` is that of the platform's last response; absent if no attempt reached the platform. */
export interface Delivery {
  outcome: 'sent' | 'dropped' | 'held back' | 'given up' | 'stopped';
  status?: number;
}

export interface RetryPolicy {
  attempts: number;
  firstDelayMs: number;
  longestDelayMs: number;
}

// Waits of 45 seconds in total, longer than a restart of the platform takes.
const PATIENT: RetryPolicy = { attempts: 10, firstDelayMs: 250, longestDelayMs: 10_000 };
const ANSWER_WITHIN_MS = 10_000;

/** Sends a party's callbacks, repeats them until a 2xx response, and applies the party's present fault. */
export class CallbackSender {
  private readonly stopping = new AbortController();
  private held: Callback[] = [];

  constructor(
    private readonly party: Party,
    private readonly faults: Faults,
    private readonly retry: RetryPolicy = PATIENT,
  ) {}

  async deliver(callback: Callback): Promise<Delivery> {
    switch (this.faults.strike(this.party, 'callbacks')) {
      case undefined:
        return this.inTurn(callback);
      case 'duplicate':
        await this.inTurn(callback);
        return this.send(callback);
      case 'reorder':
        // Delays every second callback until the next one has been sent.
        if (this.held.length > 0) return this.inTurn(callback);
        this.held.push(callback);
        return { outcome: 'held back' };
      default:
        return { outcome: 'dropped' };
    }
  }

  /** Sends delayed callbacks; called when a fault ends. */
  async release(): Promise<void> {
    for (const callback of this.held.splice(0)) await this.send(callback);
  }

  stop(): void {
    this.stopping.abort();
  }

  private async inTurn(callback: Callback): Promise<Delivery> {
    const delivery = await this.send(callback);
    await this.release();
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
