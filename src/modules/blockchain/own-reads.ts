import { Injectable } from '@nestjs/common';

/** How long the node may take for a read of the platform itself before forwarded calls make way for it. */
const PATIENCE_MS = 1000;

/**
 * Gives the platform's own reads of the chain precedence over the calls that the RPC proxy forwards: while the node is
 * slow to answer the platform, forwarded calls that are under way are dropped, and no other is begun.
 */
@Injectable()
export class OwnReads {
  private slow = 0;
  private readonly forwarded = new Set<AbortController>();
  private readonly waiting = new Set<() => void>();

  async runOwnRead<EnvelopedResponse>(read: () => Promise<EnvelopedResponse>): Promise<EnvelopedResponse> {
    let isSlow = false;
    const timer = setTimeout(() => {
      isSlow = true;
      this.slow += 1;
      for (const controller of this.forwarded)
        controller.abort(new Error('made way for a read of the platform'));
    }, PATIENCE_MS).unref();
    try {
      return await read();
    } finally {
      clearTimeout(timer);
      if (isSlow) this.slow -= 1;
      if (this.slow === 0) for (const wake of this.waiting) wake();
    }
  }

  /** Runs a forwarded call; its signal is aborted when it has to make way. */
  async runForwarded<EnvelopedResponse>(
    call: (signal: AbortSignal) => Promise<EnvelopedResponse>,
  ): Promise<EnvelopedResponse> {
    const controller = new AbortController();
    this.forwarded.add(controller);
    try {
      return await call(controller.signal);
    } finally {
      this.forwarded.delete(controller);
    }
  }

  /** True once no read of the platform waits for a slow node; false when that takes longer than `withinMs`. */
  async areAnswered(withinMs: number): Promise<boolean> {
    if (this.slow === 0) return true;
    return new Promise<boolean>((resolve) => {
      const end = (isAnswered: boolean) => {
        clearTimeout(timer);
        this.waiting.delete(wake);
        resolve(isAnswered);
      };
      const wake = () => end(true);
      const timer = setTimeout(() => end(false), withinMs).unref();
      this.waiting.add(wake);
    });
  }
}
