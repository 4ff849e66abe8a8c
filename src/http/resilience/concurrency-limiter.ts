export interface ConcurrencyBounds {
  /** The limit does not fall below this while the processor is short. */
  readonly floor: number;
  /** The limit at the start. It does not fall below this while database connections are short. */
  readonly initial: number;
  readonly maximum: number;
  readonly maxQueued: number;
  readonly maxWaitMs: number;
}

/** The resource that limits throughput at the moment. */
export type Shortage = 'processor' | 'connections';

/** A request that waits for a slot. The limiter calls either `start` or `reject`, once, unless the request is removed. */
export interface QueuedRequest {
  readonly start: () => void;
  readonly reject: () => void;
}

const GROWTH = 1 / 8; // of the limit, per call of `adjust`
const SHRINKING_FACTOR = 0.75;

/**
 * Limits concurrent requests. Excess requests wait in a bounded queue and are rejected after `maxWaitMs`. The limit adapts
 * to load: it grows while requests wait although no resource is short, and shrinks while a resource is short.
 */
export class ConcurrencyLimiter {
  inFlight = 0;
  private limit: number;
  private readonly queue = new Map<QueuedRequest, number>(); // the time at which each began to wait, oldest first

  constructor(private readonly bounds: ConcurrencyBounds) {
    this.limit = bounds.initial;
  }

  get queued(): number {
    return this.queue.size;
  }

  /** True if neither a slot nor a place in the queue is free. */
  get isFull(): boolean {
    return this.inFlight >= this.limit && this.queue.size >= this.bounds.maxQueued;
  }

  /** Acquires a slot if one is free and no request is queued. */
  tryAcquire(): boolean {
    if (this.queue.size > 0 || this.inFlight >= this.limit) return false;
    this.inFlight++;
    return true;
  }

  enqueue(request: QueuedRequest, now: number): void {
    this.queue.set(request, now);
  }

  removeQueued(request: QueuedRequest): void {
    this.queue.delete(request);
  }

  release(): void {
    this.inFlight--;
    this.startQueued();
  }

  /** Adapts the limit and rejects the requests that have waited too long. Called periodically. */
  adjust(now: number, shortage: Shortage | undefined): void {
    const { floor, initial, maximum, maxWaitMs } = this.bounds;
    if (shortage === 'processor') this.shrink(floor);
    else if (shortage === 'connections') this.shrink(initial);
    else if (this.queue.size > 0) this.limit = Math.min(maximum, this.limit + Math.ceil(this.limit * GROWTH));
    this.startQueued();
    for (const [request, since] of this.queue) {
      if (now - since < maxWaitMs) break;
      this.queue.delete(request);
      request.reject();
    }
  }

  private shrink(lowest: number): void {
    // A limit above the requests in flight restricts nothing, so the smaller number is reduced.
    const smaller = Math.floor(Math.min(this.limit, this.inFlight) * SHRINKING_FACTOR);
    this.limit = Math.min(this.limit, Math.max(lowest, smaller));
  }

  private startQueued(): void {
    for (const [request] of this.queue) {
      if (this.inFlight >= this.limit) return;
      this.queue.delete(request);
      this.inFlight++;
      request.start();
    }
  }
}
