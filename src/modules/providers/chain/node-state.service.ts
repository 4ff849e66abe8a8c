import { Injectable } from '@nestjs/common';

/** What some nodes lack and the service can do without. */
export type NodeCapability =
  'eth_syncing' | 'eth_gasPrice' | 'block time' | 'status of receipts' | 'gas of receipts' | 'batches';

/** Remembers what the node did not provide when it was last asked for it, so that health can name it. */
@Injectable()
export class NodeCapabilities {
  private readonly lacking = new Set<NodeCapability>();

  record(capability: NodeCapability, isProvided: boolean): void {
    if (isProvided) this.lacking.delete(capability);
    else this.lacking.add(capability);
  }

  get missing(): readonly NodeCapability[] {
    return [...this.lacking];
  }
}

/** A read of the platform that takes longer than this has priority over forwarded calls. */
const SLOW_READ_MS = 1000;

/**
 * Gives the platform's own reads of the chain priority over the calls that the RPC proxy forwards: when a read of the
 * platform becomes slow, running forwarded calls are aborted, and new ones wait by `waitForPlatformReads`.
 */
@Injectable()
export class NodePriorityService {
  private slowReads = 0;
  private readonly forwarded = new Set<AbortController>();
  private readonly waiting = new Set<() => void>();

  async runPlatformRead<Result>(read: () => Promise<Result>): Promise<Result> {
    let isSlow = false;
    const timer = setTimeout(() => {
      isSlow = true;
      this.slowReads += 1;
      for (const controller of this.forwarded)
        controller.abort(new Error('aborted in favour of a read of the platform'));
    }, SLOW_READ_MS).unref();
    try {
      return await read();
    } finally {
      clearTimeout(timer);
      if (isSlow) this.slowReads -= 1;
      if (this.slowReads === 0) for (const wake of this.waiting) wake();
    }
  }

  /**
   * Runs a call of the RPC proxy, and aborts its signal when a read of the platform becomes slow. The caller has awaited
   * `waitForPlatformReads`.
   */
  async runForwarded<Result>(call: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
    const controller = new AbortController();
    this.forwarded.add(controller);
    try {
      return await call(controller.signal);
    } finally {
      this.forwarded.delete(controller);
    }
  }

  /** Waits until no read of the platform is slow; false when that takes longer than `withinMs`. */
  async waitForPlatformReads(withinMs: number): Promise<boolean> {
    if (this.slowReads === 0) return true;
    return new Promise<boolean>((resolve) => {
      const end = (isInTime: boolean) => {
        clearTimeout(timer);
        this.waiting.delete(wake);
        resolve(isInTime);
      };
      const wake = () => end(true);
      const timer = setTimeout(() => end(false), withinMs).unref();
      this.waiting.add(wake);
    });
  }
}
