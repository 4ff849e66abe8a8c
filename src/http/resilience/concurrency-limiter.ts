export interface Bounds {
  /** In work at once while the processor is short. */
  readonly fewest: number;
  /** In work at once while connections to the database are. */
  readonly few: number;
  /** In work at once at all. */
  readonly most: number;
  /** In line at once. */
  readonly waiting: number;
  readonly waitMs: number;
}

/** What more work at once would only be waiting for. */
export type Shortage = 'processor' | 'connections';

/** Who waits. One of both is called, once, unless it is forgotten. */
export interface QueuedRequest {
  readonly enter: () => void;
  readonly refuse: () => void;
}

const GROWTH = 1 / 8;
const SHRINKING = 0.75;

/**
 * Lets so many in at once, the others wait in line, and nobody in vain: who waits too long, or finds the line full, is
 * refused. How many is felt for: more, by an eighth at each look, while somebody waits and nothing is short (those in
 * work wait for somebody else, it seems); fewer, by a quarter, while something is. Pure.
 */
export class ConcurrencyLimiter {
  inWork = 0;
  private allowed: number;
  private readonly line = new Map<QueuedRequest, number>(); // since when each waits, the first one first

  constructor(private readonly bounds: Bounds) {
    this.allowed = bounds.few;
  }

  get waiting(): number {
    return this.line.size;
  }

  /** True when whoever comes now is refused. */
  get isFull(): boolean {
    return this.inWork >= this.allowed && this.line.size >= this.bounds.waiting;
  }

  /** True when there is a place, which is taken by it; nobody goes past the line. */
  enter(): boolean {
    if (this.line.size > 0 || this.inWork >= this.allowed) return false;
    this.inWork++;
    return true;
  }

  wait(guest: QueuedRequest, now: number): void {
    this.line.set(guest, now);
  }

  /** Who waits no longer; nothing is called. */
  forget(guest: QueuedRequest): void {
    this.line.delete(guest);
  }

  /** Somebody's work is over. */
  leave(): void {
    this.inWork--;
    this.moveUp();
  }

  /** From time to time. */
  look(now: number, short: Shortage | undefined): void {
    const { fewest, few, most } = this.bounds;
    if (short === 'processor') this.shrink(fewest);
    else if (short === 'connections') this.shrink(few);
    else if (this.line.size > 0)
      this.allowed = Math.min(most, this.allowed + Math.ceil(this.allowed * GROWTH));
    this.moveUp();
    for (const [guest, since] of this.line) {
      if (now - since < this.bounds.waitMs) break;
      this.line.delete(guest);
      guest.refuse();
    }
  }

  private shrink(least: number): void {
    const fewer = Math.floor(Math.min(this.allowed, this.inWork) * SHRINKING);
    this.allowed = Math.min(this.allowed, Math.max(least, fewer));
  }

  private moveUp(): void {
    for (const [guest] of this.line) {
      if (this.inWork >= this.allowed) return;
      this.line.delete(guest);
      this.inWork++;
      guest.enter();
    }
  }
}
